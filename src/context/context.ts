import type { ApiRequest } from '../http/api-request.ts'
import {
  appendHeader,
  normalizeHeaderName,
  type ResponseHeaders,
} from '../http/headers/response-headers.ts'
import type { PathParams } from '../http/path-params.ts'
import type { Rule } from '../rule/rule.ts'
import type { State } from './state.ts'

/** What is known about one request: middleware, operations and mappers get it. */
export interface Context {
  readonly request: ApiRequest
  readonly rule: Rule
  /** The parameters of the path, decoded. */
  readonly params: PathParams
  /** The identifier in the path; undefined for operations on a collection. */
  readonly id: string | undefined
  /**
   * What one hook leaves for later ones, for example the user it authenticated; `stateKey` makes
   * keys that know its type.
   */
  readonly state: State
  /**
   * Aborted when the client leaves before it was answered: for whatever takes long, such as
   * requests to other services.
   */
  readonly signal: AbortSignal
  /**
   * Gives the answer a header, whatever the answer will be, in place of one of the same name. The
   * name is taken in lower case. @throws TypeError for what cannot be sent
   */
  readonly setHeader: (name: string, value: string) => void
  /**
   * The same, beside what was set before: each cookie (`set-cookie`) is a line of its own, values
   * of other headers are joined by commas.
   */
  readonly appendHeader: (name: string, value: string) => void
  /** The headers set so far. */
  readonly headers: ResponseHeaders
}

export function createContext(request: ApiRequest, rule: Rule, params: PathParams): Context {
  return new RequestContext(request, rule, params)
}

/**
 * The same request, as one that is about another item: hooks that ask whose it is find out. State
 * and headers are shared.
 * @param id none where it is about some items of another model, and nobody knows yet which
 */
export function contextForItem(context: Context, rule: Rule, id?: string): Context {
  return derivedContext(
    context,
    context.request,
    rule,
    id === undefined ? {} : { id },
    () => context.state,
  )
}

/**
 * One of several requests in one: it has a state of its own, but the headers that it sets are those
 * of the one answer.
 */
export function contextInBatch(
  outer: Context,
  request: ApiRequest,
  rule: Rule,
  params: PathParams,
): Context {
  const state = new Map() as State
  return derivedContext(outer, request, rule, params, () => state)
}

function derivedContext(
  outer: Context,
  request: ApiRequest,
  rule: Rule,
  params: PathParams,
  state: () => State,
): Context {
  return {
    request,
    rule,
    params,
    id: params.id,
    get state() {
      return state()
    },
    get signal() {
      return outer.signal
    },
    get headers() {
      return outer.headers
    },
    setHeader: outer.setHeader,
    appendHeader: outer.appendHeader,
  }
}

export const noHeaders: ResponseHeaders = Object.freeze({})

class RequestContext implements Context {
  readonly request: ApiRequest
  readonly rule: Rule
  readonly params: PathParams
  readonly id: string | undefined
  headers: ResponseHeaders = noHeaders
  #state: State | undefined
  #signal: AbortSignal | undefined

  constructor(request: ApiRequest, rule: Rule, params: PathParams) {
    this.request = request
    this.rule = rule
    this.params = params
    this.id = params.id
  }

  get state(): State {
    this.#state ??= new Map() as State
    return this.#state
  }

  get signal(): AbortSignal {
    this.#signal ??= this.request.signal ?? new AbortController().signal
    return this.#signal
  }

  // Functions of their own, so that hooks and mappers can take them out of the context.
  readonly setHeader = (name: string, value: string): void => {
    this.headers = { ...this.headers, [normalizeHeaderName(name, value)]: value }
  }

  readonly appendHeader = (name: string, value: string): void => {
    this.headers = appendHeader(this.headers, normalizeHeaderName(name, value), value)
  }
}
