import { type ViolationKind, violation } from '../expectation/expectation.ts'
import type { Finding } from '../finding.ts'
import type { CallerResponse, CallerView } from './caller-view.ts'

/** A finding of one caller. Its request shows the name of the caller instead of the credential. */
export function accessFinding(
  { caller }: CallerView,
  kind: ViolationKind,
  subject: string,
  message: string,
  { request }: Pick<CallerResponse, 'request'>,
): Finding {
  return { ...violation(kind, message), subject, caller: caller.name, request }
}
