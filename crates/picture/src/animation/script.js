'use strict';
// One clock for all runs. A crossing is a packet at a channel: it waits from `joined` to `begin`, and moves until `land`.
const SVG = 'http://www.w3.org/2000/svg';
// A packet passes beside its link. Several that wait for a link are one larger circle with their number, farther beside it.
const DOT = 4.5, ASIDE = 4, COUNTED = 9, COUNTED_ASIDE = 11, WAITS_AT = 17, NODE = 13;
const LONGEST_PLAY = 30, STEPS_A_SECOND = 2;
const byId = (id) => document.getElementById(id);
// The body of a page of its own, or a section of a report.
const region = document.querySelector('.animation');
const data = JSON.parse(byId('data').textContent);
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const last = Math.max(...data.runs.map((run) => run.makespan));
const [play, slider, speed, colours, clock, said] = ['play', 'cycle', 'speed', 'colours', 'clock', 'said'].map(byId);
let time = 0, isPlaying = false, before = null;

function crossingsOf(run) {
  const all = [];
  run.messages.forEach(([stage, source, destination, rows], message) => {
    for (let at = 0; at < rows.length; at += 5) {
      const [packet, channel, joined, waits, takes] = rows.slice(at, at + 5);
      const link = run.links[channel >> 1];
      const [from, to] = channel & 1 ? [link[1], link[0]] : [link[0], link[1]];
      const begin = joined + waits, end = begin + takes;
      const follows = at + 5 < rows.length && rows[at + 5] === packet;
      const land = follows ? Math.max(end, rows[at + 7]) : end + run.latency;
      all.push({ message, packet, stage, source, destination, link, isBack: channel & 1, channel, from, to, joined, begin, end, land });
    }
  });
  return all.sort((one, other) => one.joined - other.joined);
}

// The point at a share of a link from its near end, and the direction there.
function along(run, link, share) {
  const [near, far] = [run.nodes[link[0]], run.nodes[link[1]]];
  const between = (one, other, part) => [one[0] + (other[0] - one[0]) * part, one[1] + (other[1] - one[1]) * part];
  const points = link[2];
  if (points.length === 2) {
    const control = points;
    const [one, other] = [between(near, control, share), between(control, far, share)];
    return [between(one, other, share), one, other];
  }
  if (points.length === 4) {
    const [out, image] = [points.slice(0, 2), points.slice(2)];
    return share < 0.5 ? [between(near, out, 2 * share), near, out] : [between(image, far, 2 * share - 1), image, far];
  }
  return [between(near, far, share), near, far];
}

// Beside the line, to the right of where it goes: those of the other direction pass on the other side.
function place(run, crossing, share, aside) {
  const [point, one, other] = along(run, crossing.link, crossing.isBack ? 1 - share : share);
  const [x, y] = crossing.isBack ? [one[0] - other[0], one[1] - other[1]] : [other[0] - one[0], other[1] - one[1]];
  const length = Math.hypot(x, y) || 1;
  return [point[0] - aside * y / length, point[1] + aside * x / length];
}

// The share of a link at which packets wait: near the node at which it begins.
function waitingShare(run, link) {
  const [near, far] = [run.nodes[link[0]], run.nodes[link[1]]];
  const apart = (one, other) => Math.hypot(one[0] - other[0], one[1] - other[1]);
  const length = link[2].length === 4 ? 2 * apart(near, link[2]) : apart(near, far);
  return Math.min(WAITS_AT / (length || 1), 0.5);
}

function drawn(tag, layer) {
  const element = document.createElementNS(SVG, tag);
  layer.append(element);
  return element;
}

const shows = data.runs.map((run, number) => {
  const figure = region.querySelectorAll('figure')[number];
  const layer = figure.querySelector('.packets');
  const names = [...figure.querySelectorAll('[data-node]')].map((node) => node.dataset.node);
  return { run, layer, counts: figure.querySelector('.counts'), names, told: figure.querySelector('.told'), crossings: crossingsOf(run), dots: [], numbers: [], inDot: new Map() };
});

function sentence({ names }, crossing, isMoving) {
  const { source, destination, stage, packet, from, to, joined, begin, end } = crossing;
  const what = `process ${source} to ${destination}, stage ${stage}, packet ${packet}`;
  const where = `node (${names[from]}) to (${names[to]})`;
  return isMoving ? `${what}: ${where}, cycles ${begin} to ${end}` : `${what}: waits for ${where} since cycle ${joined}`;
}

function render(show, now) {
  const { run, layer, crossings, dots, numbers } = show;
  const seen = [], queues = new Map();
  for (const crossing of crossings) {
    if (crossing.joined > now) break;
    if (crossing.land <= now) continue;
    seen.push(crossing);
    if (crossing.begin > now) queues.set(crossing.channel, (queues.get(crossing.channel) ?? 0) + 1);
  }
  while (dots.length < seen.length) drawn('title', dots[dots.push(drawn('circle', layer)) - 1]);
  while (dots.length > seen.length) {
    show.inDot.delete(dots[dots.length - 1]);
    dots.pop().remove();
  }
  const counted = new Map();
  let waiting = 0;
  seen.forEach((crossing, at) => {
    const dot = dots[at], isMoving = crossing.begin <= now;
    const count = isMoving ? 1 : queues.get(crossing.channel);
    const share = isMoving ? (now - crossing.begin) / (crossing.land - crossing.begin) : waitingShare(run, crossing.link);
    // On the way to another layer it passes nodes between, and leaves their names free.
    const passesNodes = isMoving && crossing.link[2].length === 1;
    const aside = passesNodes ? NODE + DOT : count > 1 ? COUNTED_ASIDE : ASIDE;
    const [x, y] = place(run, crossing, share, aside);
    dot.setAttribute('cx', x.toFixed(2));
    dot.setAttribute('cy', y.toFixed(2));
    dot.setAttribute('r', count > 1 ? COUNTED : DOT);
    dot.setAttribute('class', `packet ${isMoving ? 'moving' : 'waiting'} stage-${crossing.stage % data.colours}`);
    show.inDot.set(dot, crossing);
    if (!isMoving) waiting += 1;
    if (count > 1) counted.set(crossing.channel, { count, x, y });
  });
  while (numbers.length < counted.size) numbers.push(drawn('text', show.counts));
  while (numbers.length > counted.size) numbers.pop().remove();
  [...counted.values()].forEach(({ count, x, y }, at) => {
    numbers[at].setAttribute('x', x.toFixed(2));
    numbers[at].setAttribute('y', y.toFixed(2));
    numbers[at].textContent = count;
  });
  const isOver = Math.floor(now) >= run.makespan;
  show.told.textContent = isOver ? `over at cycle ${run.makespan}` : `${seen.length - waiting} moving, ${waiting} waiting`;
}

// While nothing plays, the middle of the cycle is shown: what happens in it, not what ends with it.
function renderAll() {
  const cycle = Math.min(Math.floor(time), last);
  const now = isPlaying && !calm.matches ? time : cycle + 0.5;
  for (const show of shows) render(show, now);
  slider.value = cycle;
  slider.setAttribute('aria-valuetext', `cycle ${cycle} of ${last}`);
  clock.textContent = `cycle ${cycle} of ${last}`;
}

function tell() {
  said.textContent = `cycle ${Math.floor(time)}. ` + shows.map((show) => `${show.run.name}: ${show.told.textContent}`).join('. ');
}

function stop() {
  isPlaying = false;
  before = null;
  play.textContent = 'Play';
  time = Math.min(Math.floor(time), last);
  renderAll();
  tell();
}

function frame(moment) {
  if (!isPlaying) return;
  const cycles = calm.matches ? Math.min(Number(speed.value), STEPS_A_SECOND) : Number(speed.value);
  if (before !== null) time += (moment - before) / 1000 * cycles;
  before = moment;
  if (time >= last) {
    time = last;
    stop();
    return;
  }
  renderAll();
  requestAnimationFrame(frame);
}

function toggle() {
  if (isPlaying) {
    stop();
    return;
  }
  if (time >= last) time = 0;
  isPlaying = true;
  play.textContent = 'Pause';
  requestAnimationFrame(frame);
}

function go(cycle) {
  time = Math.max(0, Math.min(last, cycle));
  stop();
}

const step = (by) => go(Math.floor(time) + by);

function changeSpeed(by) {
  speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + by));
}

const KEYS = {
  ' ': toggle, k: toggle, ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => go(0), End: () => go(last),
  '+': () => changeSpeed(1), '-': () => changeSpeed(-1),
};

// 0.5, 1, 2, 5, 10, 20 and so on, up to the first that plays all of it in a short time.
for (let power = 0, cycles = 0.5; ; power += 1) {
  speed.add(new Option(`${cycles} ${cycles === 1 ? 'cycle' : 'cycles'} a second`, cycles));
  if (last / cycles <= LONGEST_PLAY) break;
  cycles = [1, 2, 5][power % 3] * 10 ** Math.floor(power / 3);
}
speed.selectedIndex = speed.options.length - 1;
slider.max = last;
play.addEventListener('click', toggle);
byId('first').addEventListener('click', () => go(0));
byId('back').addEventListener('click', () => step(-1));
byId('forward').addEventListener('click', () => step(1));
slider.addEventListener('input', () => go(Number(slider.value)));
colours.addEventListener('change', () => { region.dataset.colours = colours.value; });
// On a page of its own all keys are the clock's, in a report those that are pressed in the section.
(region === document.body ? document : region).addEventListener('keydown', (event) => {
  const own = KEYS[event.key];
  const isOther = event.ctrlKey || event.metaKey || event.altKey;
  if (!own || isOther || event.target.closest('select, input, summary') || (event.key === ' ' && event.target.closest('button'))) return;
  event.preventDefault();
  own();
});
region.addEventListener('pointerover', (event) => {
  const show = shows.find((own) => own.inDot.has(event.target));
  if (!show) return;
  const crossing = show.inDot.get(event.target);
  const says = sentence(show, crossing, event.target.classList.contains('moving'));
  event.target.firstChild.textContent = says;
  byId('what').textContent = says;
});
renderAll();
