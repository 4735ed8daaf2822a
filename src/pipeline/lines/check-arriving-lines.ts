import type { RequestBody } from '../../http/api-request.ts'
import type { ModelView } from '../../model/model-view.ts'
import type { ItemLines } from '../../rule/item-lines.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import { RecordSplitter, type SplitRecord } from '../../text/record-splitter.ts'
import { lineReader, noLines } from './read-lines.ts'
import { StrictExtent } from './strict-extent.ts'

/** Memory holds so much of a header whose end has not arrived. A longer one is for the job. */
const maxHeaderBytes = 65_536

/**
 * The chunks of a body that is carried out later. The header of CSV is checked as soon as it has
 * arrived, because the client can mend it best then.
 * @throws ApiError for a wrong header of CSV, and for a body without lines
 */
export async function* withCheckedStart(
  body: RequestBody,
  lines: ItemLines,
  view: ModelView,
  limits: RouterLimits,
): AsyncGenerator<Uint8Array, void> {
  const splitter = new RecordSplitter(lines.kind, Math.min(maxHeaderBytes, limits.maxBodyBytes))
  const readRecord = lineReader(lines, view, limits)
  let hasBegun = false
  for await (const chunk of body.stream()) {
    if (!hasBegun)
      for (const record of splitter.push(chunk)) {
        hasBegun = true
        if (record.bytes) readRecord(record)
        break
      }
    yield chunk
  }
  if (hasBegun) return
  for (const record of splitter.end()) {
    if (record.bytes) readRecord(record)
    return
  }
  throw noLines(lines)
}

/**
 * The chunks of a strict body that is carried out later. Its header and its extent are checked as
 * it arrives, because the client can mend them best then.
 * @throws ApiError for a wrong header of CSV, for a body without lines, and above a limit
 */
export async function* withCheckedExtent(
  body: RequestBody,
  lines: ItemLines,
  view: ModelView,
  limits: RouterLimits,
): AsyncGenerator<Uint8Array, void> {
  const splitter = new RecordSplitter(lines.kind, limits.maxBodyBytes)
  const lineOf = lineReader(lines, view, limits)
  const extent = new StrictExtent(limits)
  let isEmpty = true
  const check = (records: Iterable<SplitRecord>): void => {
    for (const record of records) {
      isEmpty = false
      const line = lineOf(record)
      if (line) extent.add(line)
    }
  }
  for await (const chunk of body.stream()) {
    check(splitter.push(chunk))
    yield chunk
  }
  check(splitter.end())
  if (isEmpty) throw noLines(lines)
}
