/** @typedef {import('./fail-over.mjs').FailoverFigures} FailoverFigures */

/**
 * @typedef {object} Summary
 * @property {number} acknowledged writes that were answered with success
 * @property {readonly Date[]} lost when those were acknowledged that the database does not have
 * @property {number} twice writes that it has more than once
 * @property {number} halfApplied batches and rollups that it has in part
 * @property {ReadonlyMap<string, number>} answers by status and code
 * @property {readonly FailoverFigures[]} figures
 */

/** From the first commit of the new leader to the first write that the service acknowledges. */
const maxSuccessMs = 1_000

/** @param {FailoverFigures} figures */
export function failoverLine({ failure, promotedMs, commitsMs, successMs, leftOpen }) {
  const seconds = `promoted after ${(promotedMs / 1_000).toFixed(1)} s`
  const success = `commits after ${ms(commitsMs)}, first success ${ms(successMs)} later`
  return `${failure.padEnd(10)} ${seconds}, ${success}; ${leftOpen} connections to the former leader`
}

/** @param {Summary} summary */
export function summaryLines({ acknowledged, lost, twice, halfApplied, answers, figures }) {
  const successes = figures.map(({ successMs }) => successMs).sort((one, other) => one - other)
  return [
    '',
    `${acknowledged} acknowledged writes: ${lost.length} lost, ${twice} made twice, ${halfApplied} half-applied`,
    `First success after the new leader commits: median ${ms(successes[successes.length >> 1] ?? 0)}, longest ${ms(successes.at(-1) ?? 0)} (at most ${ms(maxSuccessMs)})`,
    `Connections to former leaders: ${leftOpenOf(figures)}`,
    `Answers: ${Array.from(answers, ([answer, count]) => `${answer}: ${count}`).join(', ')}`,
  ]
}

/** @param {Summary} summary */
export function wrongFigures({ acknowledged, lost, twice, halfApplied, figures }) {
  const slow = figures.filter(({ successMs }) => successMs > maxSuccessMs)
  return [
    ...(acknowledged === 0 ? ['no write was acknowledged.'] : []),
    ...(lost.length > 0
      ? [
          `${lost.length} writes were lost that were acknowledged from ${time(lost[0])} to ${time(lost.at(-1))}.`,
        ]
      : []),
    ...(twice > 0 ? [`${twice} writes were made twice.`] : []),
    ...(halfApplied > 0 ? [`${halfApplied} batches or rollups are half-applied.`] : []),
    ...slow.map(
      ({ failure, successMs }) =>
        `after '${failure}', the first success came ${ms(successMs)} after the new leader.`,
    ),
    ...(leftOpenOf(figures) > 0 ? ['there are connections to former leaders.'] : []),
  ]
}

/** @param {readonly FailoverFigures[]} figures */
function leftOpenOf(figures) {
  return figures.reduce((sum, { leftOpen }) => sum + leftOpen, 0)
}

/** As in the logs of the servers. @param {Date | undefined} date */
function time(date) {
  return date?.toISOString().slice(11, 23)
}

/** @param {number} value */
function ms(value) {
  return `${value.toFixed(0)} ms`
}
