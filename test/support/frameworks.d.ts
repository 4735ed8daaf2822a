// The parts of uninstalled frameworks that the guide's examples use.

declare module 'hono' {
  export class Hono {
    all(
      path: string,
      handler: (context: { readonly req: { readonly raw: Request } }) => Promise<Response>,
    ): void
  }
}

declare module 'express' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Handler = (req: IncomingMessage, res: ServerResponse) => void
  interface Express {
    use(path: string, handler: Handler): void
    use(handler: Handler): void
    listen(port: number): void
  }
  function express(): Express
  namespace express {
    function json(): Handler
  }
  export = express
}

declare module '*/node-handler.mjs' {
  import type { IncomingMessage, ServerResponse } from 'node:http'
  import type { Router } from 'resourcery'
  export function nodeHandler(
    router: Router,
  ): (req: IncomingMessage, res: ServerResponse) => Promise<void>
}
