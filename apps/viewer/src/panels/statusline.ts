// The line at the bottom: how exact the run is, how fast it goes, and what the machine cannot do.

import { h, setText } from '../base/dom';
import { formatNumber, formatSpeed, formatSteady } from '../base/format';
import type { Mode, Status } from '../wire/messages';
import type { Panel } from './panel';

const words = { running: 'runs', paused: 'paused', failed: 'failed', ended: 'ended' } as const;

export class StatusLine implements Panel {
  private readonly state = h('span', { class: 'state' });
  private readonly verdict = h('span', { class: 'verdict' });
  private readonly speed = h('span', { class: 'item' });
  private readonly numbers = h('span', { class: 'item numbers' });
  private readonly note = h('span', { class: 'note' });
  readonly element = h('div', { class: 'statusline', role: 'status', 'aria-live': 'off' }, {}, this.state, this.verdict, this.speed,
    this.note, this.numbers);
  private mode: Mode = 'live';

  status(status: Status): void {
    setText(this.state, words[status.state] ?? status.state);
    this.state.dataset['state'] = status.state;
    this.showVerdict(status);
    const asked = formatSpeed(status.speed);
    const reached = status.reached;
    const behind = status.speed > 0 && reached !== null && status.state === 'running' && reached < 0.95 * status.speed;
    setText(this.speed, this.mode === 'shown' ? ''
      : status.state === 'running' && reached !== null && this.mode === 'live'
        ? `${formatSteady(reached, 3)}\u00d7 real time${behind ? `, ${asked} asked` : ''}` : '');
    this.speed.classList.toggle('behind', behind);
    setText(this.note, status.note ?? '');
    const numbers: string[] = [];
    if (status.method && this.mode === 'live') numbers.push(status.method);
    if (status.step !== null && status.step !== undefined) numbers.push(`step ${formatNumber(status.step, 3)} s`);
    if (status.steps) numbers.push(`${status.steps.toLocaleString('en')} steps`);
    if (status.energy !== null && status.energy !== undefined) numbers.push(`energy ${formatNumber(status.energy)} J`);
    setText(this.numbers, numbers.join('  \u00b7  '));
  }

  private showVerdict(status: Status): void {
    const { estimate, accuracy } = status;
    const known = estimate !== null && estimate !== undefined;
    const delivered = status.delivered ?? null;
    this.verdict.dataset['verdict'] = delivered === null ? 'unknown' : delivered ? 'good' : 'bad';
    const figures = known ? `error about ${formatNumber(estimate, 2)}${accuracy ? `, asked ${formatNumber(accuracy, 2)}` : ''}` : '';
    setText(this.verdict, status.verdict || figures);
    this.verdict.title = [status.verdict, figures].filter(Boolean).join(' \u2014 ');
    this.verdict.hidden = this.verdict.textContent === '';
  }

  enable(_steer: boolean, mode: Mode): void {
    this.mode = mode;
  }
}
