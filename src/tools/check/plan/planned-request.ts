import { idInPath } from '../arbitrary/identifier-value.ts'
import type { DescribedOperation } from '../described-operation.ts'
import type { PlannedBody } from './planned-body.ts'

/** Success, a refusal, or any response that the document describes. */
export type ExpectedOutcome = 'success' | 'refusal' | 'anyDocumentedResponse'

/** A request to send. */
export interface PlannedRequest {
  readonly operation: DescribedOperation
  readonly method: string
  /** Encoded path and query below the base URL. */
  readonly requestTarget: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
  readonly expectedOutcome: ExpectedOutcome
}

/** A request with this body; replaces the placeholder of the id in the path. */
export function plannedRequest(
  operation: DescribedOperation,
  target: string,
  { contentType, content }: PlannedBody,
  expectedOutcome: ExpectedOutcome,
  headers: Readonly<Record<string, string>> = {},
): PlannedRequest {
  const allHeaders = {
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...headers,
  }
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
    headers: allHeaders,
    body,
    expectedOutcome,
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
