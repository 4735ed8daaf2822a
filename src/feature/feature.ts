import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { RuleDeclaration } from '../rule/declaration.ts'

/** What an option adds to a router. All that is about it stands in one folder. */
export interface Feature {
  /** What the document says of each operation. */
  readonly declaration: RuleDeclaration
  /** Handles requests around all that handles them without the feature. */
  around(handle: RequestHandler): RequestHandler
}

export type RequestHandler = (request: ApiRequest) => Promise<ApiResponse>
