import type { CompiledSchemas } from '../compiled-schemas.ts'
import type { DescribedOperation } from '../described-operation.ts'
import type { SentRequest, ServiceClient, ServiceResponse } from '../service-client.ts'
import type { CheckedCaller } from './checked-caller.ts'

/** The response to a request of a caller. */
export interface CallerResponse extends ServiceResponse {
  readonly request: SentRequest
  readonly text: string
  /** Undefined if the body is not JSON. */
  readonly json: unknown
}

/** A service as one caller sees it: documents differ by caller. */
export interface CallerView {
  readonly caller: CheckedCaller
  readonly document: object
  /** Of the document. Callers with equal documents share them. */
  readonly schemas: CompiledSchemas
  readonly operations: readonly DescribedOperation[]
  readonly service: ServiceClient
}

/** Sends a request as the caller. */
export async function sendAs(
  { service }: CallerView,
  method: string,
  requestTarget: string,
  { headers = {}, body }: Partial<Pick<SentRequest, 'headers' | 'body'>> = {},
): Promise<CallerResponse> {
  const request = { method, requestTarget, headers, body }
  const response = await service.send(request)
  const text = response.body.toString()
  return { ...response, request, text, json: parseJson(text) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
