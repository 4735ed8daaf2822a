import { TABLES } from './figures.mjs'

/**
 * @typedef {{ row: string, server: string, round: number, result: import('./load.mjs').Result }}
 * Measurement
 */
/** @typedef {{ table: string, figure: string, medians: Record<string, number> }} Line */

/**
 * @param {Measurement[]} measurements
 * @param {string[]} servers
 * @returns {Line[]}
 */
export function medians(measurements, servers) {
  return TABLES.flatMap(({ title, figures }) =>
    figures.map((figure) => {
      const entries = servers.map((server) => {
        const results = measurements.filter(
          (measurement) => measurement.row === figure.row && measurement.server === server,
        )
        const values = results
          .map((result) => figure.value(result.result))
          .filter((value) => typeof value === 'number')
        return /** @type {[string, number]} */ ([server, median(values)])
      })
      return { table: title, figure: figure.title, medians: Object.fromEntries(entries) }
    }),
  ).filter((line) => Object.values(line.medians).some((value) => !Number.isNaN(value)))
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
      own.some(({ medians }) => !Number.isNaN(medians[server] ?? Number.NaN)),
    )
    const subject = servers.at(-1) ?? ''
    const others = servers.slice(0, -1)
    const head = ['', ...servers, ...others.map((other) => `${subject} / ${other}`)]
    const rows = own.map(({ figure, medians }) => {
      const show = figures.find((entry) => entry.title === figure)?.show ?? String
      const ratios = others.map((other) =>
        ((medians[subject] ?? Number.NaN) / (medians[other] ?? Number.NaN)).toFixed(2),
      )
      return [figure, ...servers.map((server) => show(medians[server] ?? Number.NaN)), ...ratios]
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

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((entry, other) => entry - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
