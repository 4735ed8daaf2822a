import { mixCost, ofProcess } from './capacity.mjs'
import { STORE_NAMES, STORES } from './cost-sections.mjs'
import { percent, table, two } from './format.mjs'

/** @typedef {import('./document.mjs').Figures} Figures */

/**
 * The mixes were sent to one process too, as fast as it responds.
 *
 * @param {Figures} figures
 * @param {import('./capacity-sections.mjs').Mixes} mixes
 */
export function validationSection({ stores, cores }, mixes) {
  const rows = STORES.flatMap((store) =>
    Object.entries(mixes).map(([name, mix]) => {
      const cost = mixCost(stores[store].operations, mix)
      const measured = stores[store].mixes[name]
      if (!measured) throw new Error(`The mix '${name}' was not measured on ${store}.`)
      const computedUs = cost.serviceUs + cost.databaseUs
      const measuredUs = measured.serviceUs + measured.databaseUs
      const most = mostOfProcess(cost, cores)
      return [
        STORE_NAMES[store],
        name,
        two(computedUs),
        two(measuredUs),
        two(most),
        two(measured.perSecond),
        percent(measured.perSecond / most),
      ]
    }),
  )
  return [
    '## How far paper and reality are apart',
    [
      'The mixes themselves were sent to one process on the same machine, as fast as it responded.',
      'The first two figures are the processor time of a request, with that of the database server: computed from the operations, and measured with the mix.',
      `The others are requests a second, at a utilization of 100 %: the client needs one of the ${cores} cores, and the process and the database server share the others.`,
      'Where the measured rate is lower, other programs on the machine took its time, or requests waited for something that is not computed.',
    ].join('\n'),
    table(
      ['store', 'mix', 'µs computed', 'µs measured', 'requests/s computed', 'measured', 'share'],
      rows,
    ),
  ]
}

/**
 * @param {import('./capacity.mjs').MixCost} cost
 * @param {number} cores of the machine, of which the client has one
 */
function mostOfProcess(cost, cores) {
  const byProcessors = ((cores - 1) * 1e6) / (cost.serviceUs + cost.databaseUs + cost.diskUs)
  return Math.min(ofProcess(cost, 1), byProcessors)
}
