//! A real browser, headless, driven by the protocol that all browsers' drivers speak (`WebDriver`).

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A browser with one page; it ends with this value.
#[derive(Debug)]
pub(super) struct Browser {
    driver: Child,
    session: String, // the address of the session
    _profile: TempDir,
}

/// The browser's name of an element in answers.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

impl Browser {
    /// Starts Chromium; `None` if it or its driver is missing.
    pub(super) fn start() -> Option<Self> {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port = lines.filter_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let Some(port) = port.into_iter().next() else {
            let _ = driver.kill();
            return None;
        };
        let (address, profile) = (format!("http://127.0.0.1:{port}/session"), TempDir::new().unwrap());
        let folder = format!("--user-data-dir={}", profile.path().display());
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1100,900",
            &folder,
        ];
        let wanted =
            json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": { "args": arguments } } } });
        let Ok(mut answer) = ureq::post(&address).send_json(&wanted) else {
            let _ = driver.kill();
            return None;
        };
        let answer: Value = answer.body_mut().read_json().unwrap();
        let session = format!("{address}/{}", answer["value"]["sessionId"].as_str().unwrap());
        Some(Self { driver, session, _profile: profile })
    }

    /// Opens a page.
    pub(super) fn open(&self, address: &str) {
        self.ask("url", &json!({ "url": address }));
    }

    /// Returns the result of a script in the page.
    pub(super) fn script(&self, script: &str) -> Value {
        self.ask("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Presses the pointer on the first element that a selector finds.
    pub(super) fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.ask(&format!("element/{element}/click"), &json!({}));
    }

    /// Moves the pointer onto the middle of the first element that a selector finds.
    pub(super) fn hover(&self, selector: &str) {
        let origin = json!({ ELEMENT: self.element(selector) });
        let step = json!({ "type": "pointerMove", "duration": 0, "origin": origin, "x": 0, "y": 0 });
        self.ask(
            "actions",
            &json!({ "actions": [{ "type": "pointer", "id": "pointer", "actions": [step] }] }),
        );
    }

    /// Presses a key; `key` is its character in the protocol.
    pub(super) fn press(&self, key: char) {
        let steps = ["keyDown", "keyUp"].map(|step| json!({ "type": step, "value": key.to_string() }));
        self.ask("actions", &json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": steps }] }));
    }

    /// Makes pages believe that the reader wants light text on a dark region.
    pub(super) fn prefer_dark(&self) {
        self.prefer("prefers-color-scheme", "dark");
    }

    /// Makes pages believe that the reader has a preference.
    pub(super) fn prefer(&self, name: &str, value: &str) {
        let feature = json!({ "name": name, "value": value });
        let command = json!({ "cmd": "Emulation.setEmulatedMedia", "params": { "features": [feature] } });
        self.ask("goog/cdp/execute", &command);
    }

    /// Makes pages believe that they are printed.
    pub(super) fn print(&self) {
        self.ask(
            "goog/cdp/execute",
            &json!({ "cmd": "Emulation.setEmulatedMedia", "params": { "media": "print" } }),
        );
    }

    /// Makes pages believe that they are shown again.
    pub(super) fn show(&self) {
        self.ask(
            "goog/cdp/execute",
            &json!({ "cmd": "Emulation.setEmulatedMedia", "params": { "media": "" } }),
        );
    }

    /// Makes pages believe that they are on a screen of this width \[pixels\]; no other device is emulated.
    pub(super) fn set_width(&self, width: u32) {
        let screen = json!({ "width": width, "height": 844, "deviceScaleFactor": 1, "mobile": false });
        let command = json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params": screen });
        self.ask("goog/cdp/execute", &command);
    }

    fn element(&self, selector: &str) -> String {
        let found = self.ask("element", &json!({ "using": "css selector", "value": selector }));
        found[ELEMENT].as_str().unwrap_or_else(|| panic!("{selector}: {found}")).to_owned()
    }

    fn ask(&self, what: &str, with: &Value) -> Value {
        let answer = ureq::post(format!("{}/{what}", self.session)).send_json(with);
        let answer: Value =
            answer.unwrap_or_else(|error| panic!("{what} {with}: {error}")).body_mut().read_json().unwrap();
        answer["value"].clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = ureq::delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
