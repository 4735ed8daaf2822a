import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { StoreDescription } from '../store/store-description.ts'

/**
 * Anything that a host can serve: a router, or another object that responds to plain requests. It
 * gets the requests at and below its base path, with the complete percent-encoded path.
 *
 * ```ts
 * const ping: Service = { basePath: '/ping', respond: async () => respond(200, {}, 'pong') }
 * ```
 */
export interface Service {
  /** For example `/api`; an empty one matches every path. */
  readonly basePath: string
  /** Further paths, outside of its base path, at which it responds. Default: none. */
  readonly paths?: readonly string[]
  /** Has it a page for browsers at its base path? `serve` leads there from `/`. Default: false. */
  readonly hasStartPage?: boolean
  /**
   * Does it keep data in the memory of its process? `serve` refuses it with `workers`, each of
   * which would have data of its own. Default: false.
   */
  readonly isProcessLocal?: boolean
  /** What it needs to respond, such as a store; `/readyz` of `serve` checks it. Default: none. */
  readonly dependencies?: readonly ServiceDependency[]
  /**
   * Do its stores refuse by themselves what is too much for their queues, so that `serve` judges
   * its requests by the time of a turn alone? So it is where a request decides which of several
   * stores it uses: one that hangs must not have the requests for others refused. Default: false.
   */
  readonly limitsItsQueues?: boolean
  /**
   * May the request read many items? `serve` asks while it refuses requests because of overload,
   * and refuses these first. Default: no.
   */
  isScan?(request: ApiRequest): boolean
  /**
   * Should never reject: errors are responses, too. The host responds to a rejection with a 500.
   */
  respond(request: ApiRequest): Promise<ApiResponse>
  /** Called with errors while its responses are sent. Default: `onError` of the host. */
  onError?(error: unknown): void
  /** Called before the host listens, or with `health: { duringStart: true }` while it listens. */
  open?(): Promise<void>
  /**
   * Called when the host closes or pauses, before it waits for responses under way: ends those that
   * would last, such as streams of events. Others may follow.
   */
  endStreams?(): void
  /** Called after the last response, to free resources. */
  close?(): Promise<void>
}

/** What a service needs to respond to requests. */
export interface ServiceDependency {
  /** What it is, for people: `store`. */
  readonly name: string
  /**
   * Of the dependencies of a service with the same group, one is enough: `/readyz` is 200 while at
   * least one of them can be used. Default: none, it is needed itself.
   */
  readonly group?: string
  /**
   * Checks whether it can be used now, cheaply: once a second at most. The signal is aborted when
   * the time is over. It rejects where it cannot be used; the error goes to `onError`, and not to
   * clients.
   */
  check(signal: AbortSignal): Promise<void>
  /**
   * What it is, if it is a store, for the line that says that the service listens. Called once the
   * service is open. Default: the line does not name it.
   */
  describe?(): Promise<StoreDescription | undefined>
}
