import type { MessagePort } from 'node:worker_threads'

/** An import that was resolved, or that leads to no file. */
export interface SeenImport {
  readonly url: string
  readonly parentUrl: string | undefined
}

interface ResolveContext {
  readonly parentURL?: string
}

interface Resolved {
  readonly url: string
}

type NextResolve<Result> = (specifier: string, context: ResolveContext) => Result

let port: MessagePort | undefined

/** Node.js calls it in the thread of hooks (`module.register`). */
export function initialize(data: { readonly port: MessagePort }): void {
  port = data.port
}

export async function resolve(
  specifier: string,
  context: ResolveContext,
  next: NextResolve<Promise<Resolved>>,
): Promise<Resolved> {
  try {
    const resolved = await next(specifier, context)
    port?.postMessage(seen(resolved.url, context))
    return resolved
  } catch (error) {
    const url = missingUrl(specifier, context)
    if (url !== undefined) port?.postMessage(seen(url, context))
    throw error
  }
}

/** The same for `module.registerHooks`, whose hooks are synchronous. */
export function syncHooks(add: (entry: SeenImport) => void): object {
  return {
    resolve(specifier: string, context: ResolveContext, next: NextResolve<Resolved>): Resolved {
      try {
        const resolved = next(specifier, context)
        add(seen(resolved.url, context))
        return resolved
      } catch (error) {
        const url = missingUrl(specifier, context)
        if (url !== undefined) add(seen(url, context))
        throw error
      }
    },
  }
}

function seen(url: string, { parentURL }: ResolveContext): SeenImport {
  return { url, parentUrl: parentURL }
}

/** The file that an import looks for, so that its creation is noticed; undefined for a package. */
function missingUrl(specifier: string, { parentURL }: ResolveContext): string | undefined {
  if (!/^(?:\.{0,2}\/|file:)/.test(specifier)) return undefined
  return URL.canParse(specifier, parentURL) ? new URL(specifier, parentURL).href : undefined
}
