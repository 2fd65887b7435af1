/** True when the two types are the same, `any` included. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles when the type argument is true: `check<Same<typeof value, string>>()`. */
export function check<_T extends true>(): void {}

/** What is left in a `switch` behind all its cases. */
export function never(value: never): never {
  throw new Error(`not a case: ${JSON.stringify(value)}`);
}
