// The line at the bottom: how exact the run is, how fast it goes, and what the machine cannot do.

import { h, setText } from '../base/dom';
import { formatNumber, formatReached, formatSpeed, inTimeUnits, timeUnit, units } from '../base/format';
import type { Mode, Status } from '../wire/messages';
import type { Page, Panel } from './panel';

const words = { running: 'runs', paused: 'paused', failed: 'failed', ended: 'ended' } as const;

export class StatusLine implements Panel {
  private readonly state = h('span', { class: 'state' });
  private readonly verdict = h('span', { class: 'verdict' });
  private readonly speed = h('span', { class: 'item' });
  private readonly numbers = h('span', { class: 'item numbers' });
  private readonly note = h('span', { class: 'note' });
  private readonly faster: HTMLButtonElement;
  readonly element: HTMLElement;
  private mode: Mode = 'live';
  private steer = true;
  private offered = '';

  constructor(page: Page) {
    this.faster = h('button', {
      type: 'button', class: 'faster', hidden: true,
      title: 'Goes on from here in equal steps, with soft or implicit contact and without the second run. The errors of the run are then unknown.',
    }, { click: () => page.send({ type: 'preset', name: this.offered }) }, 'Go on faster, errors unknown');
    this.element = h('div', { class: 'statusline', role: 'status', 'aria-live': 'off' }, {}, this.state, this.verdict, this.speed,
      this.faster, this.note, this.numbers);
  }

  // Numbers of another run, or of a server that is gone, are none of this one.
  open(): void {
    for (const item of [this.state, this.verdict, this.speed, this.note, this.numbers]) setText(item, '');
    this.verdict.dataset['verdict'] = 'unknown';
    delete this.state.dataset['state'];
    this.verdict.hidden = this.faster.hidden = true;
  }

  status(status: Status): void {
    setText(this.state, words[status.state] ?? status.state);
    this.state.dataset['state'] = status.state;
    this.showVerdict(status);
    const asked = formatSpeed(status.speed);
    const reached = status.reached;
    const behind = status.speed > 0 && reached !== null && status.state === 'running' && reached < 0.95 * status.speed;
    setText(this.speed, this.mode === 'shown' ? ''
      : status.state === 'running' && reached !== null && this.mode === 'live'
        ? `${formatReached(reached)}${behind ? `, ${asked} asked` : ''}` : '');
    this.speed.classList.toggle('behind', behind);
    setText(this.note, status.note ?? '');
    this.note.title = status.note ?? '';
    this.offered = status.offers ?? '';
    this.faster.hidden = this.offered === '' || !this.steer;
    const numbers: string[] = [];
    if (status.method && this.mode === 'live') numbers.push(status.method);
    if (status.step !== null && status.step !== undefined) numbers.push(`step ${formatNumber(inTimeUnits(status.step), 3)} ${timeUnit()}`);
    if (status.steps) numbers.push(`${status.steps.toLocaleString('en')} steps`);
    if (status.energy !== null && status.energy !== undefined) numbers.push(`energy ${formatNumber(status.energy)} ${units().energy}`);
    setText(this.numbers, numbers.join('  \u00b7  '));
  }

  private showVerdict(status: Status): void {
    const { estimate, accuracy } = status;
    const known = estimate !== null && estimate !== undefined && status.steps !== 0; // before the first step nothing is known
    const delivered = status.delivered ?? null;
    this.verdict.dataset['verdict'] = delivered === null ? 'unknown' : delivered ? 'good' : 'bad';
    const figures = known ? `error about ${formatNumber(estimate, 2)}${accuracy ? `, asked ${formatNumber(accuracy, 2)}` : ''}` : '';
    setText(this.verdict, status.verdict || figures);
    this.verdict.title = [status.verdict, figures].filter(Boolean).join(' \u2014 ');
    this.verdict.hidden = this.verdict.textContent === '';
  }

  enable(steer: boolean, mode: Mode): void {
    this.mode = mode;
    this.steer = steer;
    if (!steer) this.faster.hidden = true;
  }
}
