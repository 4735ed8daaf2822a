import type { RequestBody } from '../../http/api-request.ts'
import type { ModelView } from '../../model/model-view.ts'
import type { ItemLines } from '../../rule/item-lines.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import { RecordSplitter } from '../../text/record-splitter.ts'
import { lineReader, noLines } from './read-lines.ts'

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
