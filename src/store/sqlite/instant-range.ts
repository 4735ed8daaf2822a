import type { ColumnRange } from '../sql/table.ts'

/**
 * The texts of date-times between two instants, in columns where other programs write them in any
 * form. Most texts are in UTC and sort as their instants do, to the second. The others are so few
 * in a part of an index that the instant of each can be computed. Any text that is no date-time
 * compares as it is, so that the range has the texts beside the operand too.
 */
export const instantRange: ColumnRange = {
  from: {
    bounds: (operand) => [
      // Numbers are less than all texts, which a column of texts has none of.
      boundOf(
        operand,
        `coalesce(min(${earliest(operand)}, ${withSpace(operand)}), '')`,
        `iif(${isText(operand)}, '', -9e999)`,
      ),
      boundOf(operand, withSpace(operand), "''"),
      boundOf(operand, withT(operand), "''"),
    ],
    holds: (column, [range, spaced, exact]) =>
      `(${column} >= ${range} and ((${column} >= ${spaced} and (${column} >= ${exact} or ${isSpaced(column)})) or not ${sortsAsInstant(column)}))`,
  },
  until: {
    bounds: (operand) => [
      boundOf(
        operand,
        `coalesce(max(${latest(operand)}, ${withT(operand)} || '~'), ${afterAll(operand)})`,
        afterAll(operand),
      ),
      boundOf(operand, `${withSpace(operand)} || '~'`, afterAll(operand)),
      boundOf(operand, `${withT(operand)} || '~'`, afterAll(operand)),
    ],
    holds: (column, [range, spaced, exact]) =>
      `(${column} < ${range} and ((${column} < ${exact} and (${column} < ${spaced} or not ${isSpaced(column)})) or not ${sortsAsInstant(column)}))`,
  },
}

/** The same in columns where they have no zone, and a space or a `T` between date and time. */
export const localInstantRange: ColumnRange = {
  from: {
    bounds: (operand) => [
      boundOf(operand, withSpace(operand), `iif(${isText(operand)}, '', -9e999)`),
    ],
    holds: (column, [range]) => `${column} >= ${range}`,
  },
  until: {
    // By the day: a `Z` after the hour or minute sorts after all that an hour has.
    bounds: (operand) => [boundOf(operand, `substr(${operand}, 1, 10) || '~'`, afterAll(operand))],
    holds: (column, [range]) => `${column} < ${range}`,
  },
}

/** @param otherwise a value with all texts on its side, where the operand is no date-time */
function boundOf(operand: string, bound: string, otherwise: string): string {
  return `iif(${operand} glob '????-??-??T??:??:??*', ${bound}, ${otherwise})`
}

function isText(operand: string): string {
  return `typeof(${operand}) = 'text'`
}

function withT(operand: string): string {
  return `substr(${operand}, 1, 19)`
}

/** A space sorts before a `T`. */
function withSpace(operand: string): string {
  return `(substr(${operand}, 1, 10) || ' ' || substr(${operand}, 12, 8))`
}

/**
 * The first text that may stand for the instant or a later one, with an offset of up to 14:59, and
 * with the hour 24. Days beyond the end of a month move the instant by up to three days.
 */
function earliest(operand: string): string {
  return `iif(substr(${operand}, 9, 2) <= '05', date(substr(${operand}, 1, 10), '-5 days'), datetime(${withT(operand)}, '-16 hours'))`
}

/** The last text that may stand for the instant or an earlier one. */
function latest(operand: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%S', ${withT(operand)}, '+16 hours') || '~'`
}

/** A BLOB after all texts, and after the BLOBs that other programs write, for one of these. */
function afterAll(operand: string): string {
  return `iif(typeof(${operand}) = 'blob', x'${'ff'.repeat(64)}', x'')`
}

function isSpaced(column: string): string {
  return `substr(${column}, 11, 1) = ' '`
}

/**
 * A text in UTC, with seconds, on a day that its month has; also texts that are no date-times.
 * False for NULL. The length comes first, because it takes the least time: date-times of 20
 * characters end with seconds and `Z`.
 */
function sortsAsInstant(column: string): string {
  const time = '????-??-??[T ][0-2][0-9]:[0-5][0-9]:'
  const day = `substr(${column}, 9, 2)`
  const month = `substr(${column}, 6, 2)`
  return (
    `((length(${column}) = 20 and ${day} < '29' and substr(${column}, 12, 2) < '24') or ` +
    `(${column} glob '${time}*Z' or ${column} glob '${time}[0-5][0-9]') and substr(${column}, 12, 2) < '24' and ` +
    `(${day} < '29' or (${day} < '31' and ${month} <> '02') or ${month} in ('01', '03', '05', '07', '08', '10', '12')))`
  )
}
