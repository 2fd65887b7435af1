// What a page must not see: violations of its policy, and rejections that nobody handles.
globalThis.problems = [];
addEventListener("securitypolicyviolation", (event) => problems.push(`policy: ${event.violatedDirective} ${event.blockedURI}`));
addEventListener("unhandledrejection", (event) => problems.push(`unhandledrejection: ${event.reason}`));
