import type { CallerResponse } from './caller-view.ts'

/** Headers of the connection, and those that follow from the body. */
const ignoredHeaders = new Set([
  'date',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
])

/**
 * How the response for a hidden item differs from the responses for two missing ones; undefined if
 * it does not. What differs between these two says nothing.
 * @param ids of all three, which the responses may repeat
 */
export function responseDifference(
  hidden: CallerResponse,
  [missing, otherMissing]: readonly [CallerResponse, CallerResponse],
  ids: readonly string[],
): string | undefined {
  if (missing.status !== otherMissing.status) return undefined
  if (hidden.status !== missing.status)
    return `the status is ${hidden.status}, and for a missing item ${missing.status}`
  const textOf = (text: string) => withoutIds(text, ids)
  const names = new Set([...Object.keys(hidden.headers), ...Object.keys(missing.headers)])
  for (const name of names) {
    if (ignoredHeaders.has(name)) continue
    const [one, two, three] = [hidden, missing, otherMissing].map(({ headers }) =>
      textOf(String(headers[name] ?? '')),
    )
    if (one !== two && two === three)
      return `the header '${name}' differs from that of the response for a missing item`
  }
  const [one, two, three] = [hidden, missing, otherMissing].map(({ text }) => textOf(text))
  return one !== two && two === three
    ? 'the body differs from that of the response for a missing item'
    : undefined
}

/** Longer ids first, because one may be part of another. */
function withoutIds(text: string, ids: readonly string[]): string {
  const spellings = new Set(ids.flatMap((id) => [id, encodeURIComponent(id)]))
  let result = text
  for (const spelling of [...spellings].toSorted((one, other) => other.length - one.length))
    result = result.replaceAll(spelling, '{id}')
  return result
}
