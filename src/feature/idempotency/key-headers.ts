import type { DeclaredRequestHeader, RuleDeclaration } from '../../rule/declaration.ts'
import type { IdempotencyKeyUse, Rule } from '../../rule/rule.ts'
import { countOf } from '../../text/message-text.ts'

/** What the document says of `Idempotency-Key`. */
export function keyHeader(
  { required, keepMs }: IdempotencyKeyUse,
  body: Rule['request']['kind'],
): DeclaredRequestHeader {
  const isUpload = body === 'bytes'
  const isRequired = required === 'always'
  return {
    componentName: `${isRequired ? 'Required' : required === 'sometimes' ? 'Batch' : ''}${isUpload ? 'Upload' : ''}IdempotencyKey`,
    name: 'Idempotency-Key',
    description: `A new UUID for each change, and the same one when the request is sent again: it is then carried out once, and its response is repeated for ${durationText(keepMs)} (draft-ietf-httpapi-idempotency-key-header).${isUpload ? ' Requires `Content-Digest`.' : ''}${required === 'sometimes' ? ' Required where one of the operations requires it as a request of its own.' : ''}`,
    isRequired,
    schema: { type: 'string', minLength: 1, maxLength: 512 },
  }
}

/** Only responses to repetitions have it. */
export const replayedHeader: NonNullable<RuleDeclaration['successHeaders']> = Object.freeze({
  'Idempotency-Replayed': {
    description:
      '`true` if an earlier request with the same `Idempotency-Key` was carried out, and not this one.',
    schema: { type: 'string', const: 'true' },
  },
})

/** In the largest unit that divides it. */
function durationText(ms: number): string {
  const units = [
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1_000, 'second'],
    [1, 'millisecond'],
  ] as const
  const [unitMs, name] = units.find(([unit]) => ms % unit === 0)!
  return countOf(ms / unitMs, name)
}
