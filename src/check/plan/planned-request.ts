import { idInPath } from '../arbitrary/identifier-value.ts'
import type { DescribedOperation } from '../described-operation.ts'
import type { PlannedBody } from './planned-body.ts'

/** What a request is owed: success, a refusal, or just an answer that its document describes. */
export type ExpectedOutcome = 'success' | 'refusal' | 'answer'

/** A request as it will be sent. */
export interface PlannedRequest {
  readonly operation: DescribedOperation
  readonly method: string
  /** Path and query below the service's address, encoded. */
  readonly requestTarget: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
  readonly expectedOutcome: ExpectedOutcome
}

/** A request with this body, in which the id that the path names stands wherever it has to. */
export function plannedRequest(
  operation: DescribedOperation,
  target: string,
  { contentType, content }: PlannedBody,
  owed: ExpectedOutcome,
  headers: Readonly<Record<string, string>> = {},
): PlannedRequest {
  const all = { ...(contentType !== undefined && { 'content-type': contentType }), ...headers }
  const body =
    typeof content === 'string' && content.includes(idInPath)
      ? content.replaceAll(JSON.stringify(idInPath), () =>
          JSON.stringify(idIn(operation.path, target)),
        )
      : content
  return {
    operation,
    method: operation.method,
    requestTarget: target,
    headers: all,
    body,
    expectedOutcome: owed,
  }
}

function idIn(template: string, target: string): string {
  const segment = target.split('?')[0]!.split('/')[template.split('/').indexOf('{id}')] ?? ''
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
