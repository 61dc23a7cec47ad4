// The page of cardan view. docs/wire.md describes the messages that it lives on.

import './style.css';
import { App } from './app';
import { h } from './base/dom';
import { startTheme } from './base/theme';
import { installHook } from './hook';
import { listenToKeys } from './keys';
import { embeddedText } from './wire/embedded';
import { LiveSource } from './wire/live';
import { RecordedSource } from './wire/recorded';

function fail(text: string): void {
  document.body.replaceChildren(h('p', { class: 'failed', role: 'alert' }, {}, text));
}

function start(): void {
  startTheme();
  const data = embeddedText();
  if (!data && location.protocol === 'file:') {
    fail('This file has no data. Open it through "cardan view MODEL", or write a page with data by "cardan view MODEL RUN.csv --html FILE".');
    return;
  }
  try {
    const app = new App(data ? new RecordedSource(data) : new LiveSource());
    listenToKeys(app);
    installHook(app);
  } catch (error) {
    fail(`This browser cannot draw the model: ${error instanceof Error ? error.message : String(error)}. It needs WebGL 2.`);
  }
}

// The data stand behind the script.
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
else start();
