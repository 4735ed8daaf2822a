import { TABLES } from './figures.mjs'
import { printedSpread, spreadOf } from './spread.mjs'

/**
 * @typedef {{ row: string, server: string, round: number, result: import('./load.mjs').Result }}
 * Measurement
 */
/** @typedef {import('./spread.mjs').Spread} Spread */
/** @typedef {{ table: string, figure: string, spreads: Record<string, Spread> }} Line */

/**
 * @param {Measurement[]} measurements
 * @param {string[]} servers
 * @returns {Line[]}
 */
export function spreadsOf(measurements, servers) {
  return TABLES.flatMap(({ title, figures }) =>
    figures.map((figure) => {
      const entries = servers.map((server) => {
        const results = measurements.filter(
          (measurement) => measurement.row === figure.row && measurement.server === server,
        )
        const values = results
          .map((result) => figure.value(result.result))
          .filter((value) => typeof value === 'number')
        return /** @type {[string, Spread]} */ ([server, spreadOf(values)])
      })
      return { table: title, figure: figure.title, spreads: Object.fromEntries(entries) }
    }),
  ).filter((line) => Object.values(line.spreads).some(({ median }) => !Number.isNaN(median)))
}

/**
 * @param {Line[]} lines
 * @param {string[]} all the servers; the last one is compared with each of the others that a table
 * is about
 */
export function printed(lines, all) {
  return TABLES.flatMap(({ title, figures }) => {
    const own = lines.filter((line) => line.table === title)
    if (own.length === 0) return []
    const servers = all.filter((server) =>
      own.some(({ spreads }) => !Number.isNaN(medianOf(spreads, server))),
    )
    const subject = servers.at(-1) ?? ''
    const others = servers.slice(0, -1)
    const head = ['', ...servers, ...others.map((other) => `${subject} / ${other}`)]
    const rows = own.map(({ figure, spreads }) => {
      const show = figures.find((entry) => entry.title === figure)?.show ?? String
      const ratios = others.map((other) =>
        (medianOf(spreads, subject) / medianOf(spreads, other)).toFixed(2),
      )
      const cells = servers.map((server) => printedSpread(spreads[server] ?? spreadOf([]), show))
      return [figure, ...cells, ...ratios]
    })
    return [title, '', ...aligned([head, ...rows]), '']
  }).join('\n')
}

/** @param {string[][]} rows */
function aligned(rows) {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  )
}

/**
 * @param {Record<string, Spread>} spreads
 * @param {string} server
 */
function medianOf(spreads, server) {
  return spreads[server]?.median ?? Number.NaN
}
