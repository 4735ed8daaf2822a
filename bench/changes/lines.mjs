// The figures as text, each beside what it should be at most.

/** @typedef {import('./feed.mjs').FeedFigures} FeedFigures */
/** @typedef {import('./writer.mjs').Writes} Writes */
/** @typedef {import('./feed.mjs').Delivery} Delivery */

const MAX_MS = 250
const MAX_LOSS = 0.15
const MAX_BYTES = 60 * 1_024

/** @param {FeedFigures} figures */
export function feedLines(figures) {
  const { quiet, quietMost, writes, most, delivery, stalledDelivery, lateDelivery } = figures
  const loss = 1 - writes.perSecond / quiet.perSecond
  return [
    line('events', deliveryText(delivery)),
    line('commit to event, p50', ms(delivery.p50)),
    line(
      'commit to event, p99',
      ms(delivery.p99),
      `${ratio(delivery.p99, MAX_MS)} of ${MAX_MS} ms`,
    ),
    line('commit to event, longest', ms(delivery.max)),
    line('writes without subscribers', writesText(quiet)),
    line('writes with subscribers', writesText(writes)),
    line('writes lost', percent(loss), `${ratio(loss, MAX_LOSS)} of ${percent(MAX_LOSS)}`),
    line('most writes without subscribers', writesText(quietMost)),
    line('most writes with subscribers', writesText(most)),
    line('processor of the service, an event', `${figures.processorMicroseconds.toFixed(1)} µs`),
    line(
      'memory of a subscriber',
      kilobytes(figures.bytesPerSubscriber),
      `${ratio(figures.bytesPerSubscriber, MAX_BYTES)} of ${kilobytes(MAX_BYTES)}`,
    ),
    line('growth while a fifth does not read', kilobytes(figures.growthBytes)),
    line('events of the others meanwhile', deliveryText(stalledDelivery)),
    line('commit to event meanwhile, p99', ms(stalledDelivery.p99)),
    line('events of all, once they read on', deliveryText(lateDelivery)),
  ]
}

/** @param {import('./log-cost.mjs').Cost} cost */
export function costLine({ name, atOnce, by, offUs, onUs, ratio }) {
  const how = `${name}, ${by}, ${atOnce} at once`
  return line(how, `${offUs.toFixed(0)} → ${onUs.toFixed(0)} µs`, ratio.toFixed(2))
}

/**
 * @param {string} title
 * @param {string} value
 * @param {string} target
 */
function line(title, value, target = '') {
  return `  ${title.padEnd(40)}${value.padStart(12)}  ${target}`
}

/** @param {Delivery} delivery */
function deliveryText({ expected, missing, twice, unexpected }) {
  return `${expected}, ${missing} missing, ${twice} twice, ${unexpected} unexpected`
}

/** @param {Writes} writes */
function writesText({ perSecond, p50, p99 }) {
  return `${perSecond.toFixed(1)}/s, p50 ${ms(p50)}, p99 ${ms(p99)}`
}

/** @param {number | null} value */
const ms = (value) => (value === null ? '–' : `${value.toFixed(1)} ms`)

/** @param {number} value */
const percent = (value) => `${(value * 100).toFixed(1)} %`

/** @param {number} value */
const kilobytes = (value) => `${(value / 1_024).toFixed(1)} KiB`

/**
 * @param {number | null} value
 * @param {number} target
 */
const ratio = (value, target) => (value === null ? '–' : (value / target).toFixed(2))
