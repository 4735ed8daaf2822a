import type { PlannedRequest } from '../plan/planned-request.ts'
import type { Schemas } from '../schemas.ts'
import type { Answer } from '../send.ts'

/** The kinds of faults that a check can find; the names are what reports and machines read. */
export type FaultKind =
  | 'no-answer'
  | 'too-slow'
  | 'server-error'
  | 'undocumented-status'
  | 'undocumented-media-type'
  | 'body-differs'
  | 'missing-header'
  | 'header-differs'
  | 'wrong-request-accepted'
  | 'right-request-refused'
  | 'leak'
  | 'method-not-refused'
  | 'allow-differs'
  | 'created-not-readable'
  | 'deleted-still-there'
  | 'head-differs'
  | 'tag-differs'
  | 'stale-write-accepted'
  | 'lost-update'
  | 'created-twice'
  | 'framing-accepted'
  | 'transport-differs'

export interface Fault {
  readonly kind: FaultKind
  readonly message: string
}

/** What every answer is held to; it tells the first fault of its kind. */
export type Expectation = (request: PlannedRequest, answer: Answer, schemas: Schemas) => Fault | undefined

export function fault(kind: FaultKind, message: string): Fault {
  return { kind, message }
}
