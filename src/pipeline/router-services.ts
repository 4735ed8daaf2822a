import type { Authentication } from '../authentication/authentication.ts'
import type { Clock, Context } from '../context/context.ts'
import type { DocumentServices } from '../document/document-services.ts'
import type { ApiError } from '../error/api-error.ts'
import type { CrossSiteGuard } from '../http/cross-site-guard.ts'
import type { OperationServices } from './operation-services.ts'
import type { RouterPart } from './router-part.ts'

/** What all requests of one router share. */
export interface RouterServices extends DocumentServices, OperationServices {
  /** The mount path. */
  readonly basePath: string
  /**
   * The service's own address; empty if not configured.
   * @throws RegistrationError for an invalid address
   */
  baseUrl(): string
  /** Called for each request with an unsafe method. */
  readonly refuseCrossSite: CrossSiteGuard
  /** Undefined where all callers are anonymous. */
  readonly authentication: Authentication | undefined
  /**
   * What the router is of its service. Where the caller decides which store responds, every
   * response is for its caller only.
   */
  readonly part: RouterPart
  /** Tells when a request is sent. */
  readonly clock: Clock
  /** How long code in a transaction may do nothing with items, in milliseconds. */
  readonly hookTimeoutMs: number
  /** Called with errors of items whose sentences the client does not get. */
  readonly onRefusal: (error: ApiError, context: Context | undefined) => void
}
