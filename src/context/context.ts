import type { ApiRequest, PathParams } from '../http/api-request.ts'
import {
  appendHeader,
  normalizeHeaderName,
  type ResponseHeaders,
} from '../http/headers/response-headers.ts'
import type { Rule } from '../rule/rule.ts'
import type { State } from '../state/state.ts'
import type { CallerWrites } from '../store/store-call.ts'
import { callerOrAddress } from './caller-or-address.ts'

/** One request, as middleware, operations and mappers see it. */
export interface Context<Caller = unknown> {
  readonly request: ApiRequest
  readonly rule: Rule
  /**
   * Who sent the request: the output of `security.callerSchema`. Undefined for an anonymous
   * request, and on a router without `authentication`. Access rules are decided once for each
   * request: a hook that changes members of the caller does not change what the rules allow.
   */
  readonly caller: Caller | undefined
  /**
   * When the request was sent, decided when it is first read: all rules and hooks of one request
   * see the same time.
   */
  readonly now: Date
  /**
   * When the credential of the caller expires, in milliseconds since 1970; undefined where the
   * authenticator does not tell.
   */
  readonly credentialExpiresMs?: number | undefined
  /** The name of the action; undefined for other operations. */
  readonly action: string | undefined
  /** The parameters of the path, decoded. */
  readonly params: PathParams
  /** The identifier in the path; undefined for operations on a collection. */
  readonly id: string | undefined
  /**
   * Values that one hook leaves for later hooks, such as what it has looked up. `stateKey` makes
   * typed keys.
   */
  readonly state: State
  /** What the client has written; undefined unless the store has write positions. */
  readonly writes: CallerWrites | undefined
  /**
   * Aborted when the client disconnects before the response. Pass it to long work, such as requests
   * to other services.
   */
  readonly signal: AbortSignal
  /** Names who sent the request, for stores that let clients take turns. */
  readonly client: string
  /** False while the client is connected; undefined where only the signal can tell. */
  readonly isAborted: boolean | undefined
  /**
   * Sets a header of the response, whatever that will be, and replaces one of the same name. Names
   * are changed to lower case.
   * @throws TypeError for an invalid name or value
   */
  readonly setHeader: (name: string, value: string) => void
  /**
   * Adds a header to those that are set. Each `set-cookie` is a line of its own; values of other
   * headers are joined by commas.
   */
  readonly appendHeader: (name: string, value: string) => void
  /** The headers set so far. */
  readonly headers: ResponseHeaders
}

/** Tells the current time. */
export type Clock = () => Date

/**
 * A context for another item that the same request reads or changes, so that hooks can tell which
 * item they decide about. State and headers are shared.
 * @param id undefined while it is not known which items of the model are concerned
 */
export function contextForItem(context: Context, rule: Rule, id?: string): Context {
  const params = id === undefined ? {} : { id }
  return new DerivedContext(context, { request: context.request, rule, params })
}

/**
 * A context for one operation of a batch, or for one list of a feed. It has its own state, and
 * shares the headers of the response.
 */
export function contextOfPart(
  outer: Context,
  request: ApiRequest,
  rule: Rule,
  params: PathParams,
): Context {
  return new DerivedContext(outer, { request, rule, params, state: new Map() as State })
}

/** What a derived context has of its own; it shares the state if it has none. */
interface OwnParts extends Pick<Context, 'request' | 'rule' | 'params'> {
  readonly state?: State
}

/**
 * A class, as all objects with getters that requests create: V8 gives each object literal with a
 * getter a hidden class, which keeps what the getter refers to until the next full collection.
 */
export class DerivedContext implements Context {
  readonly request: ApiRequest
  readonly rule: Rule
  readonly params: PathParams
  readonly id: string | undefined
  readonly caller: unknown
  readonly writes: CallerWrites | undefined
  readonly #outer: Context
  readonly #state: State | undefined

  constructor(outer: Context, { request, rule, params, state }: OwnParts) {
    this.request = request
    this.rule = rule
    this.params = params
    this.id = params.id
    this.caller = outer.caller
    this.writes = outer.writes
    this.#outer = outer
    this.#state = state
  }

  /** The context of the request itself. */
  static outermost(context: Context): Context {
    let outermost = context
    while (outermost instanceof DerivedContext) outermost = outermost.#outer
    return outermost
  }

  get now(): Date {
    return this.#outer.now
  }

  get action(): string | undefined {
    return actionName(this.rule)
  }

  get state(): State {
    return this.#state ?? this.#outer.state
  }

  get signal(): AbortSignal {
    return this.#outer.signal
  }

  get isAborted(): boolean | undefined {
    return this.#outer.isAborted
  }

  get client(): string {
    return this.#outer.client
  }

  get headers(): ResponseHeaders {
    return this.#outer.headers
  }

  get setHeader(): Context['setHeader'] {
    return this.#outer.setHeader
  }

  get appendHeader(): Context['appendHeader'] {
    return this.#outer.appendHeader
  }
}

/** The choice that was made for the request, if its router has several stores. */
export function storeChoiceOf(context: Context): object | undefined {
  const outermost = DerivedContext.outermost(context)
  return outermost instanceof RequestContext ? outermost.storeChoice : undefined
}

/** A context for the same request at another time. */
export function contextAt(context: Context, now: Date): Context {
  return new ContextAt(context, now)
}

class ContextAt extends DerivedContext {
  readonly #now: Date

  constructor(outer: Context, now: Date) {
    super(outer, { request: outer.request, rule: outer.rule, params: outer.params })
    this.#now = now
  }

  override get now(): Date {
    return this.#now
  }
}

function actionName({ target }: Rule): string | undefined {
  return target.kind === 'action' ? target.action.name : undefined
}

export const noHeaders: ResponseHeaders = Object.freeze({})

/**
 * The context of a request. The pipeline sets the caller, and reads QUERY, before any hook runs.
 */
export class RequestContext implements Context {
  request: ApiRequest
  readonly rule: Rule
  readonly params: PathParams
  readonly id: string | undefined
  caller: unknown
  headers: ResponseHeaders = noHeaders
  writes: CallerWrites | undefined
  // Most credentials do not tell it, so that most contexts do not have it.
  declare credentialExpiresMs?: number | undefined
  /** Stands for the store that responds; undefined for a router with one store. */
  declare storeChoice?: object | undefined
  #state: State | undefined
  #signal: AbortSignal | undefined
  readonly #clock: Clock | undefined
  #now: Date | undefined
  #client: string | undefined
  #setHeader: Context['setHeader'] | undefined
  #appendHeader: Context['appendHeader'] | undefined

  constructor(request: ApiRequest, rule: Rule, params: PathParams, clock: Clock | undefined) {
    this.#clock = clock
    this.request = request
    this.rule = rule
    this.params = params
    this.id = params.id
  }

  get now(): Date {
    this.#now ??= this.#clock?.() ?? new Date()
    return this.#now
  }

  get action(): string | undefined {
    return actionName(this.rule)
  }

  get state(): State {
    this.#state ??= new Map() as State
    return this.#state
  }

  get signal(): AbortSignal {
    this.#signal ??= this.request.signal ?? new AbortController().signal
    return this.#signal
  }

  get isAborted(): boolean | undefined {
    return this.request.isAborted
  }

  get client(): string {
    this.#client ??= callerOrAddress(this)
    return this.#client
  }

  // Arrow functions, so that hooks and mappers can destructure them. Most requests set no header.
  get setHeader(): Context['setHeader'] {
    this.#setHeader ??= (name, value) => {
      this.headers = { ...this.headers, [normalizeHeaderName(name, value)]: value }
    }
    return this.#setHeader
  }

  get appendHeader(): Context['appendHeader'] {
    this.#appendHeader ??= (name, value) => {
      this.headers = appendHeader(this.headers, normalizeHeaderName(name, value), value)
    }
    return this.#appendHeader
  }
}
