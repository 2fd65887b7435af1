import { render } from "preact";
import init from "sluice-agent";
import { Session } from "./session";
import { loadSettings } from "./settings";
import { App } from "./view/App";
import { Failure } from "./view/Failure";

const root = document.querySelector("#app")!;
root.replaceChildren();
await start();

async function start(): Promise<void> {
  try {
    await init();
  } catch (error) {
    render(<Failure error={error} onRetry={start} />, root);
    return;
  }
  render(<App session={await Session.open(loadSettings())} />, root);
}
