import type { CompiledSchemas } from '../compiled-schemas.ts'
import type { PlannedRequest } from '../plan/planned-request.ts'
import type { ServiceResponse } from '../service-client.ts'

/** The kinds of violations, as reports print them. */
export type ViolationKind =
  | 'no-response'
  | 'too-slow'
  | 'response-too-large'
  | 'unusable-schema'
  | 'slow-pattern'
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
  | 'query-differs'
  | 'groups-differ'
  | 'facets-differ'
  | 'highlights-differ'
  | 'tag-differs'
  | 'stale-write-accepted'
  | 'lost-update'
  | 'changes-differ'
  | 'created-twice'
  | 'framing-accepted'
  | 'transport-differs'
  | 'hidden-item-shown'
  | 'hidden-item-detectable'
  | 'hidden-field-shown'
  | 'hidden-field-known'
  | 'count-differs'

export interface Violation {
  readonly kind: ViolationKind
  readonly message: string
}

/** Checks a response; returns the first violation. */
export type Expectation = (
  request: PlannedRequest,
  response: ServiceResponse,
  schemas: CompiledSchemas,
) => Violation | undefined

export function violation(kind: ViolationKind, message: string): Violation {
  return { kind, message }
}
