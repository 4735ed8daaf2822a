import { ServiceRequest, type ServiceTarget } from '../http/service-request.ts'
import type { LineProgress } from './lines/line-progress.ts'
import type { OperationRunner } from './model-endpoint.ts'

/** A request that is carried out now, after the response to the client that sent it. */
export class DeferredRequest extends ServiceRequest {
  readonly lines: LineProgress | undefined
  readonly runner: OperationRunner | undefined

  constructor(caller: unknown, target: ServiceTarget, { lines, runner }: DeferredParts) {
    super(caller, target)
    this.lines = lines
    this.runner = runner
  }
}

/** What takes part while it is carried out. */
export interface DeferredParts {
  readonly lines?: LineProgress
  readonly runner?: OperationRunner
}
