import type { BackgroundServices } from '../background/background-services.ts'
import type { Consumers } from '../feature/consumers/consumers.ts'
import type { Deferrals } from '../feature/deferrals/deferrals.ts'
import type { WebhookItem } from '../openapi/document.ts'
import type { Rule } from '../rule/rule.ts'

/** What runs beside a router, such as what sends webhooks. */
export interface RouterExtension {
  /** `open()` has opened the router, as `serve` does. Not called where a script only uses items. */
  started(): void
  /** The router closes; its store is open still. */
  close(): Promise<void>
  /** What it sends to others, for `webhooks` of the document of those whom the rules serve. */
  webhooks?(rules: readonly Rule[]): Readonly<Record<string, WebhookItem>>
}

/** What extensions need of a router besides its public names. */
export interface ExtensibleRouter {
  readonly extensions: RouterExtension[]
  /** Are its cursors and positions the same for all processes, and after a restart? */
  readonly hasLastingCursors: boolean
  /** The rules that may serve the caller, as its document shows them. */
  rulesFor(caller: unknown): readonly Rule[]
  /** As `router.consume`; messages about the consumer begin with what the last argument says. */
  readonly consume: (...call: Parameters<Consumers['add']>) => void
  readonly deferrals: Deferrals
  /** The base URL, if configured, and the mount path. */
  urlPrefix(): string
  /** What work beside requests needs, once the router is open. */
  background(): BackgroundServices
}

/** A member of routers, which those who wrap a router pass on with all others. */
const extensible = Symbol('extensible')

export function noteExtensible(router: object, parts: ExtensibleRouter): void {
  Object.assign(router, { [extensible]: parts })
}

/** @throws Error if another copy of the package created the router */
export function extensibleRouter(router: object): ExtensibleRouter {
  const parts = (router as { readonly [extensible]?: ExtensibleRouter })[extensible]
  if (parts) return parts
  throw new Error('The router was created by another copy of resourcery.')
}
