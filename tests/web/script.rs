//! The scripts, which the test module carries as texts.
//!
//! Linked as modules each would be a file of its own for the page to fetch, and the server of
//! wasm-bindgen's test runner hangs when many connections are opened at once.

use js_sys::{Array, Error, Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::exports::exports;

/// What no scenario takes, in milliseconds, on a slow machine.
const LIMIT_MS: u32 = 60_000;

macro_rules! texts {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!($name, ".js")))),*]
    };
}

const TEXTS: [(&str, &str); 13] = texts!(
    "helpers" "events" "live" "reentry" "listeners" "abort" "tools" "options" "messages" "fetch"
    "stream_fn" "control" "random"
);

/// What the package has beside the module: `createScript`, and what that needs.
const PACKAGE: [(&str, &str); 2] = [
    ("values", include_str!("../../src/js/values.js")),
    ("script", include_str!("../../src/js/package/script.js")),
];

thread_local! {
    /// The promise of all modules, by name.
    static MODULES: Result<Promise, JsValue> = load();
}

fn load() -> Result<Promise, JsValue> {
    let load: Function = js_sys::eval(include_str!("load.js"))?.dyn_into()?;
    let texts = Object::new();
    for (name, text) in TEXTS.into_iter().chain(PACKAGE) {
        Reflect::set(&texts, &name.into(), &text.into())?;
    }
    load.call1(&JsValue::UNDEFINED, &texts)?.dyn_into()
}

async fn module(name: &str) -> Result<JsValue, JsValue> {
    let modules = JsFuture::from(MODULES.with(Clone::clone)?).await?;
    Reflect::get(&modules, &name.into())
}

fn function(module: &JsValue, name: &str) -> Result<Function, JsValue> {
    Reflect::get(module, &name.into())?
        .dyn_into()
        .map_err(|_| Error::new(&format!("there is no {name}")).into())
}

/// Calls a function of a module and waits for its promise.
async fn call(module: &JsValue, name: &str, arguments: &[JsValue]) -> Result<JsValue, JsValue> {
    let arguments: Array = arguments.iter().collect();
    let returned = function(module, name)?.apply(&JsValue::UNDEFINED, &arguments)?;
    JsFuture::from(Promise::resolve(&returned)).await
}

/// Runs a scenario. It fails by what it throws, or by an error that only the page has seen.
pub(crate) async fn run(group: &str, name: &str) -> Result<(), JsValue> {
    let scenarios = module(group).await?;
    let helpers = module("helpers").await?;
    call(&helpers, "watchPage", &[]).await?;
    let script = function(&module("script").await?, "script")?;
    let outcome = function(&scenarios, name)?.call1(&JsValue::UNDEFINED, &exports(script))?;
    let within = [outcome, "the scenario".into(), LIMIT_MS.into()];
    let outcome = call(&helpers, "soon", &within).await;
    let page = call(&helpers, "leavePage", &[]).await;
    outcome.and(page).map(drop)
}

/// Checks that the scenarios of a script are these: none must be forgotten.
pub(crate) async fn check_names(group: &str, names: &[&str]) -> Result<(), JsValue> {
    let mut missing: Vec<String> = Object::keys(&module(group).await?.into())
        .iter()
        .filter_map(|name| name.as_string())
        .collect();
    missing.retain(|name| !names.contains(&name.as_str()));
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::new(&format!("not declared in main.rs: {}", missing.join(", "))).into())
}
