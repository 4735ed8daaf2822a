import { AsyncLocalStorage } from 'node:async_hooks'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type {
  ApiRequest,
  ApiResponse,
  Context,
  Middleware,
  PreparedRouter,
  Router,
  RouterOptions,
} from 'resourcery'
import type { RequestBody, ResponseBody, RouterByCallerOptions, WriteCause } from 'resourcery/types'
import { fetchResponse } from '../../../src/adapter/fetch.ts'
import { createRouter as originalCreateRouter } from '../../../src/api/create-router.ts'
import { ServiceRequest } from '../../../src/http/service-request.ts'
import { expectLawful } from '../../spec/support/lawful.ts'
import {
  hasFunction,
  type RegistrationKey,
  registrationKey,
  withoutHookFunctions,
} from './registration-key.ts'
import { watchedBlobs, watchedStore } from './stores.ts'
import { countedAtOnce } from './streams.ts'
import type { Exchange, Excused, Truth } from './truth.ts'
import { cachedTruth } from './truth-cache.ts'
import { reportViolation } from './violations.ts'
import { areRoutersWatched } from './watching.ts'

/**
 * Compares every response of every router in tests with that router's own document, and under
 * JSON:API with the rules for all responses. Stands in for the module of the same functions.
 */

export const createRouter = ((options: WatchedOptions) =>
  areRoutersWatched()
    ? watched(
        originalCreateRouter(withWatchedParts(options)),
        keyOf(options),
        pagesOf(options),
        options.policy.name === 'json-api' ? lawFaults : () => [],
      )
    : originalCreateRouter(options)) as typeof originalCreateRouter

/** With `stores`, the option `store` is a function. */
type WatchedOptions = RouterOptions & { readonly stores?: RouterByCallerOptions['stores'] }

/** What the document says depends on no other part of a store and of blobs. */
function keyOf({ store, stores = {}, blobs, ...options }: WatchedOptions): RegistrationKey {
  const key = registrationKey()
  const { onError: _, onProgress: __, ...described } = options
  key.note('createRouter', described, store.facts, blobs !== undefined)
  for (const [name, part] of Object.entries(stores))
    key.note('stores', name, ('store' in part ? part.store : part).facts, 'store' in part)
  return key
}

/** The paths of what is served beside the rules. */
function pagesOf({
  docsPage,
  startPage,
  security,
  basePath = '',
}: RouterOptions): RegExp | undefined {
  const paths = [
    ...(docsPage ? ['/(?:openapi\\.json|docs(?:/[\\w.]+)?)$'] : []),
    ...(startPage ? [`^${basePath}/?$`] : []),
    // The document has it as a route of the service, with a server of its own.
    ...(security?.protectedResource ? ['^/\\.well-known/oauth-protected-resource'] : []),
  ]
  return paths.length === 0 ? undefined : new RegExp(paths.join('|'))
}

/** Invalid options are passed on, to be refused. */
function withWatchedParts(options: WatchedOptions): WatchedOptions {
  const { store, stores, blobs } = options
  return {
    ...options,
    ...(stores && !Array.isArray(stores) && { stores: watchedStores(stores) }),
    ...(typeof store?.open === 'function' && { store: watchedStore(store) }),
    ...(typeof blobs?.open === 'function' && { blobs: watchedBlobs(blobs) }),
  }
}

function watchedStores(stores: RouterByCallerOptions['stores']): RouterByCallerOptions['stores'] {
  return Object.fromEntries(
    Object.entries(stores).map(([name, part]) => {
      if (typeof part !== 'object') return [name, part]
      if (!('store' in part)) return [name, watchedStore(part)]
      const { store, blobs } = part
      return [name, { store: watchedStore(store), ...(blobs && { blobs: watchedBlobs(blobs) }) }]
    }),
  )
}

type Laws = (exchange: Exchange, rules: Router['rules']) => readonly string[]

/**
 * The violations of JSON:API in a response. Bytes of binary resources are no documents, and neither
 * is a 304.
 */
const lawFaults: Laws = ({ request, response, text, requestText: sent }, rules) => {
  const { method, path } = request
  const { status } = response
  const isQuery = method === 'QUERY'
  const query = isQuery ? (sent ?? '') : request.query
  if (
    status < 400 &&
    rules.some((rule) => rule.operation === 'GetResource' && leadsTo(rule.path, path))
  )
    return []
  const headers = new Headers(
    Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
  )
  // Hosts leave out headers that HEAD does not need.
  const body = method === 'HEAD' ? '' : text
  try {
    const url = `http://localhost${path}${query === '' ? '' : `?${query}`}`
    expectLawful({
      method,
      url,
      requestText: isQuery ? undefined : sent,
      response: { status, headers },
      text: body,
    })
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function leadsTo(template: string, path: string): boolean {
  const steps = template.split('/')
  const last = path.split('/').slice(-steps.length + 1)
  return steps.slice(1).every((step, index) => step.startsWith(':') || step === last[index])
}

/** The current request. */
const answering = new AsyncLocalStorage<ApiRequest>()

/** A spread would lose the members of a request that its class computes. */
function withBody(request: ApiRequest, body: RequestBody): ApiRequest {
  // What the service sends itself is known by its class, and computes no members.
  if (request instanceof ServiceRequest)
    return Object.create(request, { body: { value: body } }) as ApiRequest
  const { method, path, query, headers } = request
  return {
    method,
    path,
    query,
    headers,
    body,
    get signal() {
      return request.signal
    },
    get isAborted() {
      return request.isAborted
    },
    trace: request.trace,
  }
}

/**
 * @param key of what the router is made from
 * @param pages what is served beside the rules, and no part of the document
 */
function watched(
  router: Router,
  key: RegistrationKey,
  pages: RegExp | undefined,
  laws: Laws,
): Router {
  const excuses = new WeakMap<ApiRequest, { answer: boolean; headers: Set<string> }>()
  const truthsOfRouter = new Map<string, Truth>()
  /** @param isQuery documents have QUERY since OpenAPI 3.2 */
  const truthOn = (fields: boolean, isQuery: boolean): Truth => {
    const rules = prepared.map(({ accessRules }) => accessRules)
    const name = `${fields} ${isQuery} ${key.text()} ${JSON.stringify(rules)}`
    return cachedTruth(name, router.basePath, () =>
      router.toOpenApi({ fields, ...(isQuery && { version: '3.2.0' }) }),
    )
  }
  const prepared: { readonly accessRules: unknown }[] = []
  const respond = async (request: ApiRequest): Promise<ApiResponse> => {
    const listener = request.body && listened(request.body)
    const observed: ApiRequest = listener ? withBody(request, listener) : request
    const response = await answering.run(observed, () => router.respond(observed))
    const faultsOf = (text: string): readonly string[] => {
      const excused: Excused = excuses.get(observed) ?? { answer: false, headers: new Set() }
      try {
        // Members may be missing only where the client selected fields.
        const requestText = listener?.readText()
        const isQuery = request.method === 'QUERY'
        const query = isQuery ? (requestText ?? '') : request.query
        const fields = query.includes('fields')
        const name = `${fields} ${isQuery}`
        const truth = truthsOfRouter.get(name) ?? truthOn(fields, isQuery)
        truthsOfRouter.set(name, truth)
        const exchange: Exchange = { request, response, text, requestText }
        return [
          ...truth.violations(exchange, excused),
          ...(excused.answer ? [] : laws(exchange, router.rules)),
        ]
      } catch (error) {
        return [String((error as Error).stack)]
      }
    }
    const check = (text: string) => {
      // Nobody reads the response to a client that has left.
      if (pages?.test(request.path) || request.signal?.aborted) return
      for (const error of faultsOf(text))
        reportViolation(
          `${request.method} ${request.path}?${request.query} -> ${response.status}: ${error}`,
        )
    }
    const body = overheard(response, check)
    return body.kind === 'stream'
      ? {
          ...response,
          body: {
            ...body,
            chunks: countedAtOnce(`${request.method} ${request.path}`, body.chunks),
          },
        }
      : { ...response, body }
  }
  const listeners: Listeners = new Map()
  const excusing = (middleware: Middleware) => excused(middleware, excuses, listeners)
  const self: Router = {
    ...router,
    get rules() {
      return router.rules
    },
    respond,
    handle: (request) => fetchResponse(self, request, () => undefined),
    describe: (path, operations) => {
      key.note('describe', path, operations)
      router.describe(path, operations)
      return self
    },
    use: (middleware) => {
      key.note('use', withoutHookFunctions(middleware))
      router.use(excusing(middleware))
      return self
    },
    prepare: (model) => {
      key.note('prepare', model)
      const original = router.prepare(model)
      prepared.push(original)
      const note = (call: string, ...values: readonly unknown[]) => key.note(call, model, ...values)
      return watchedModel(original, note, excusing)
    },
  }
  return self
}

function watchedModel<Item>(
  original: PreparedRouter<Item>,
  note: RegistrationKey['note'],
  excusing: (middleware: Middleware) => Middleware,
): PreparedRouter<Item> {
  const self: PreparedRouter<Item> = {
    get accessRules() {
      return original.accessRules
    },
    // The key holds the rules themselves: they may differ where the function is the same.
    access: (rules) => {
      original.access(rules)
      return self
    },
    use: (middleware) => {
      note('use', withoutHookFunctions(middleware))
      original.use(excusing(middleware))
      return self
    },
    map: (mapper, options) => {
      // The document follows what the options say of it.
      note('map', typeof mapper === 'function' ? hasFunction : mapper, options)
      original.map(mapper, options)
      return self
    },
    itemOperation: (name, callable, options) => {
      note('itemOperation', name, callable, options)
      original.itemOperation(name, callable, options)
      return self
    },
  }
  return self
}

type Excuses = WeakMap<ApiRequest, { answer: boolean; headers: Set<string> }>

/** One wrapper for each hook: a hook that is registered several times stays one function. */
type Listeners = Map<unknown, (...args: readonly unknown[]) => unknown>

/** Middleware that declares nothing may respond anything; declarations have to be true. */
function excused(middleware: Middleware, excuses: Excuses, listeners: Listeners): Middleware {
  if (middleware.declares || typeof middleware !== 'object') return middleware
  const excuse = (context: Context | undefined, response: boolean) => {
    if (!context) return
    const { request: own, headers } = context
    // The operations of a batch have requests of their own, but one response.
    const request = answering.getStore() ?? own
    const before = excuses.get(request) ?? { answer: false, headers: new Set<string>() }
    for (const name of Object.keys(headers)) before.headers.add(name)
    excuses.set(request, { answer: before.answer || response, headers: before.headers })
  }
  const listening = (hook: unknown) => {
    if (typeof hook !== 'function') return hook
    const truth = listeners.get(hook)
    if (truth) return truth
    const listener = (...args: readonly unknown[]) => {
      const last = args.at(-1) as Context | { readonly cause: WriteCause }
      const context = 'cause' in last ? last.cause.context : last
      const done = (outcome: unknown) => {
        excuse(context, typeof outcome === 'object' && outcome !== null && 'status' in outcome)
        return outcome
      }
      const failed = (error: unknown) => {
        excuse(context, true)
        throw error
      }
      try {
        const outcome: unknown = hook(...args)
        return outcome instanceof Promise ? outcome.then(done, failed) : done(outcome)
      } catch (error) {
        return failed(error)
      }
    }
    listeners.set(hook, listener)
    return listener
  }
  const { around } = middleware
  const phases = Object.entries({
    ...middleware,
    // What it sends has not passed the rule.
    ...(typeof around === 'function' && {
      around: (context: Context, next: Parameters<typeof around>[1]) => {
        excuse(context, true)
        return around(context, next)
      },
    }),
  }).map(([phase, hooks]) => [
    phase,
    typeof hooks === 'object' && hooks !== null
      ? Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, listening(hook)]))
      : hooks,
  ])
  return Object.fromEntries(phases)
}

/** The body, with the text that was read from it. */
function listened(body: RequestBody): RequestBody & { readText(): string | undefined } {
  let readText: string | undefined
  return {
    bytes: async (limit) => {
      const bytes = await body.bytes(limit)
      readText = Buffer.from(bytes).toString('utf8')
      return bytes
    },
    stream: () => body.stream(),
    readText: () => readText,
  }
}

/** The body, whose text is passed on once it is read to its end. */
function overheard({ body, headers }: ApiResponse, tellText: (text: string) => void): ResponseBody {
  const tell = (bytes: Uint8Array): void => {
    const coding = bytes.byteLength === 0 ? undefined : headers['content-encoding']
    const decoded =
      coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes
    tellText(Buffer.from(decoded).toString('utf8'))
  }
  if (body.kind === 'empty') tell(new Uint8Array())
  if (body.kind === 'text') tell(Buffer.from(body.text))
  if (body.kind === 'bytes') tell(body.bytes)
  if (body.kind === 'buffers') tell(Buffer.concat(body.buffers))
  if (body.kind !== 'stream') return body
  return { ...body, chunks: overheardChunks(body.chunks, tell) }
}

/** Not a generator: an unstarted generator would not close its source. */
function overheardChunks(
  chunks: AsyncIterable<string | Uint8Array>,
  tell: (bytes: Uint8Array) => void,
): AsyncIterable<string | Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = chunks[Symbol.asyncIterator]()
      const parts: Uint8Array[] = []
      return {
        async next() {
          const next = await iterator.next()
          if (next.done) tell(Buffer.concat(parts))
          // A copy, because a host may free the bytes once they are sent.
          else parts.push(Buffer.from(next.value as Uint8Array))
          return next
        },
        async return() {
          await iterator.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
