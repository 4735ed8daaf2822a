import { expect } from 'vitest'
import { lazy } from '../../../src/cache/lazy.ts'
import { atomicUri } from './atomic.ts'
import { isObject, type JsonObject, resolvePointer } from './json.ts'

/** One request and its response. */
export interface Exchange {
  readonly method: string
  readonly url: string
  /** The request body, if any. */
  readonly requestText: string | undefined
  readonly response: Pick<Response, 'status' | 'headers'>
  readonly text: string
}

const contentType = /^application\/vnd\.api\+json(?: ?; ?(?:ext|profile)="[^"\s]+(?: [^"\s]+)*")*$/
const otherTypes = ['text/event-stream', 'text/csv', 'application/jsonl']
const memberName =
  /^[A-Za-z0-9\u0080-\uFFFF](?:[A-Za-z0-9\u0080-\uFFFF _-]*[A-Za-z0-9\u0080-\uFFFF])?$/
// A URI reference (RFC 3986) with encoded square brackets (QP7).
const uriReference = /^(?:[A-Za-z0-9\-._~:/?#@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/
const languageTag = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/

const paging = ['first', 'last', 'prev', 'next']
const results = 'atomic:results'
const topLevel = ['data', 'errors', 'meta', 'jsonapi', 'links', 'included']

/** Checks what the specification requires of every response. */
export function expectLawful(exchange: Exchange): void {
  const { method, url, response, text } = exchange
  const { status, headers } = response
  const describe = (what: string) => `${what}: ${method} ${url} -> ${status} ${text.slice(0, 400)}`

  const is = (holds: boolean, what: string): void => {
    if (!holds) expect.fail(describe(what))
  }

  const vary = (headers.get('vary') ?? '').split(',').map((name) => name.trim().toLowerCase())
  is(vary.includes('accept') || vary.includes('*'), 'CN13: Vary has Accept')
  if (method === 'HEAD' || status === 204 || status === 304) is(text === '', 'CN17: no body')
  // They are of other media types, which the client has to ask for, and no documents. A file of no
  // lines has no bytes (RFC 9110, section 15.3.1).
  if (status === 200 && otherTypes.includes(headers.get('content-type') ?? '')) return
  if (text === '') {
    const mayBeEmpty = method === 'HEAD' || method === 'OPTIONS' || status === 204 || status === 304
    is(mayBeEmpty, 'DS2, ER3: a body')
    return
  }
  is(contentType.test(headers.get('content-type') ?? ''), 'CN1, CN2, CN3: Content-Type')
  new Inspection(exchange, is).document(JSON.parse(text))
}

const titles = new Map<string, string>()

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

class Inspection {
  readonly #exchange: Exchange
  /** Undefined where it is no JSON. A response may have thousands of errors in it. */
  readonly #requestDocument = lazy(() => parsed(this.#exchange.requestText ?? ''))
  /** Not an expectation: a document has thousands of these, and each that succeeds takes time. */
  readonly #is: (holds: boolean, what: string) => void
  readonly #parameters: URLSearchParams
  readonly #holdsIdentifiers: boolean
  readonly #hidesFields: boolean

  constructor(exchange: Exchange, is: (holds: boolean, what: string) => void) {
    this.#exchange = exchange
    this.#is = is
    const url = new URL(exchange.url)
    this.#parameters = url.searchParams
    this.#holdsIdentifiers = url.pathname.includes('/relationships/')
    this.#hidesFields = [...url.searchParams.keys()].some((name) => name.startsWith('fields'))
  }

  document(document: unknown): void {
    const members = this.#object(document, 'DS1: the document')
    const has = (name: string) => Object.hasOwn(members, name)
    this.#closed(members, has(results) ? [...topLevel, results] : topLevel, 'the document')
    this.#is(
      has('data') || has('errors') || has('meta') || has(results),
      'DS2: data, errors, meta or results',
    )
    this.#is(!(has('data') && has('errors')), 'DS3: data or errors, not both')
    this.#is(has('data') || !has('included'), 'DS7: included only with data')
    this.#is(
      has('errors') === this.#exchange.response.status >= 400,
      'ER3: errors, and only when it failed',
    )
    this.#jsonapi(members.jsonapi)
    if (has('meta')) this.#meta(members.meta)
    if (has('links')) this.#links(members.links, ['self', 'related', 'describedby', ...paging])
    if (has('errors')) this.#errors(members.errors)
    if (has('data')) this.#data(members.data, members.included)
    if (has(results)) this.#results(members)
  }

  /** Results may hold the same resource twice, before and after an operation. */
  #results(members: JsonObject): void {
    for (const name of ['data', 'included', 'errors', 'atomic:operations'])
      this.#is(!Object.hasOwn(members, name), `AO3, AO4: no '${name}' beside results`)
    const header = this.#exchange.response.headers.get('content-type') ?? ''
    this.#is(header.includes(atomicUri), 'AO22, CN4: the extension is in Content-Type')
    const all = members[results]
    const operations = resolvePointer(
      JSON.parse(this.#exchange.requestText ?? ''),
      '/atomic:operations',
    )
    this.#is(Array.isArray(all) && Array.isArray(operations), 'AO11: results is an array')
    this.#is(
      (all as unknown[]).length === (operations as unknown[]).length,
      'AO11: as many results as operations',
    )
    for (const entry of all as readonly unknown[]) {
      const result = this.#object(entry, 'AO11: a result')
      this.#closed(result, ['data', 'meta'], 'a result')
      if (result.data !== undefined && result.data !== null) this.#resource(result.data, new Map())
      if (result.meta !== undefined) this.#meta(result.meta)
    }
  }

  #jsonapi(value: unknown): void {
    const jsonapi = this.#object(value, 'DS46: jsonapi')
    this.#closed(jsonapi, ['version', 'ext', 'profile', 'meta'], 'jsonapi')
    this.#is(jsonapi.version === '1.1', 'DS45: the version')
    this.#is(this.#exchange.text.match(/"jsonapi":/g)?.length === 1, 'jsonapi exactly once')
    const header = this.#exchange.response.headers.get('content-type') ?? ''
    for (const name of ['ext', 'profile']) {
      const uris = jsonapi[name] ?? []
      this.#is(
        Array.isArray(uris) && uris.every((uri) => URL.canParse(String(uri))),
        `DS45: jsonapi.${name} lists URIs`,
      )
      const named = new RegExp(`; ?${name}="([^"]*)"`).exec(header)?.[1]?.split(' ') ?? []
      for (const uri of uris as readonly string[])
        this.#is(named.includes(uri), `CN4, CN5: '${uri}' is in Content-Type too`)
      for (const uri of named)
        this.#is(
          (uris as readonly string[]).includes(uri),
          `DS45: '${uri}' is applied, and in jsonapi.${name} too`,
        )
    }
  }

  #data(data: unknown, included: unknown): void {
    const primary = Array.isArray(data) ? data : data === null ? [] : [data]
    const seen = new Map<string, JsonObject>()
    const linked: string[] = []
    for (const entry of primary) {
      if (this.#holdsIdentifiers) linked.push(this.#identifier(entry, 'primary data'))
      else this.#resource(entry, seen)
    }
    if (this.#holdsIdentifiers)
      this.#is(new Set(linked).size === linked.length, 'DS38, RE5: no identifier twice')
    const reached = new Set([...linked, ...seen.keys()])
    if (included === undefined) return
    this.#is(Array.isArray(included), 'DS35: included is an array')
    for (const entry of included as readonly unknown[]) this.#resource(entry, seen)
    if (!this.#hidesFields) this.#linkage(seen, reached)
  }

  /** DS36: linkage leads from the primary data to each included resource. */
  #linkage(seen: ReadonlyMap<string, JsonObject>, start: ReadonlySet<string>): void {
    const reached = new Set(start)
    for (const name of reached) {
      const relationships = seen.get(name)?.relationships
      if (!isObject(relationships)) continue
      for (const relationship of Object.values(relationships)) {
        const data = isObject(relationship) ? relationship.data : undefined
        for (const entry of Array.isArray(data) ? data : [data]) {
          if (isObject(entry)) reached.add(`${entry.type}/${entry.id}`)
        }
      }
    }
    for (const name of seen.keys()) this.#is(reached.has(name), `DS36: ${name} is linked to`)
  }

  #resource(value: unknown, seen: Map<string, JsonObject>): void {
    const resource = this.#object(value, 'DS13: a resource')
    this.#closed(
      resource,
      ['type', 'id', 'attributes', 'relationships', 'links', 'meta'],
      'a resource',
    )
    const { type, id, attributes, relationships } = resource
    this.#is(typeof type === 'string' && memberName.test(type), 'DS13, DS19: type is a member name')
    this.#is(typeof id === 'string' && id !== '', 'DS13: id is a string')
    const name = `${type}/${id}`
    this.#is(!seen.has(name), `DS38: ${name} only once`)
    seen.set(name, resource)
    const names = new Set<string>()
    const claim = (member: string) => {
      this.#is(memberName.test(member), `DS47, DS48: '${member}' is a member name`)
      this.#is(
        member !== 'type' && member !== 'id' && !names.has(member),
        `DS21: '${member}' is one field`,
      )
      names.add(member)
    }
    if (attributes !== undefined) {
      for (const member of Object.keys(this.#object(attributes, 'DS22: attributes'))) claim(member)
    }
    if (relationships !== undefined) {
      for (const [member, one] of Object.entries(
        this.#object(relationships, 'DS25: relationships'),
      )) {
        claim(member)
        this.#relationship(one, member)
      }
    }
    if (resource.links !== undefined)
      this.#linksOfResource(this.#object(resource.links, 'DS40: links'), claim)
    if (resource.meta !== undefined) this.#meta(resource.meta)
  }

  #relationship(value: unknown, name: string): void {
    const relationship = this.#object(value, `DS25: relationship '${name}'`)
    this.#closed(relationship, ['links', 'data', 'meta'], `relationship '${name}'`)
    this.#is(
      Object.keys(relationship).length > 0,
      `DS26: relationship '${name}' has links, data or meta`,
    )
    const { links, data, meta } = relationship
    if (links !== undefined) {
      this.#links(links, ['self', 'related', ...paging])
      const members = links as JsonObject
      this.#is(
        'self' in members || 'related' in members,
        `DS26: relationship '${name}' has self or related`,
      )
      for (const page of paging) {
        const href = JSON.stringify(members[page] ?? null)
        this.#is(
          href === 'null' || href.includes('/relationships/'),
          `DS27: '${page}' of '${name}' pages the linkage`,
        )
      }
    }
    if (meta !== undefined) this.#meta(meta)
    if (Array.isArray(data)) {
      const linked = data.map((entry) => this.#identifier(entry, `'${name}'`))
      this.#is(new Set(linked).size === linked.length, `RE5: no identifier twice in '${name}'`)
    } else if (data !== undefined && data !== null) this.#identifier(data, `'${name}'`)
  }

  #identifier(value: unknown, where: string): string {
    const identifier = this.#object(value, `DS30: linkage of ${where}`)
    this.#closed(identifier, ['type', 'id', 'meta'], `an identifier of ${where}`)
    this.#is(typeof identifier.type === 'string', `DS32: the type of an identifier of ${where}`)
    this.#is(typeof identifier.id === 'string', `DS32: the id of an identifier of ${where}`)
    if (identifier.meta !== undefined) this.#meta(identifier.meta)
    return `${identifier.type}/${identifier.id}`
  }

  #errors(value: unknown): void {
    this.#is(Array.isArray(value) && value.length > 0, 'ER3: errors is an array')
    const statuses = new Set<string>()
    for (const entry of value as readonly unknown[]) {
      const error = this.#object(entry, 'ER4: an error')
      this.#closed(
        error,
        ['id', 'links', 'status', 'code', 'title', 'detail', 'source', 'meta'],
        'an error (ER4)',
      )
      this.#is(
        typeof error.status === 'string' && /^[45]\d\d$/.test(error.status),
        'ER5: status is a string',
      )
      statuses.add(String(error.status))
      for (const name of ['id', 'code', 'title', 'detail']) {
        this.#is(
          error[name] === undefined || typeof error[name] === 'string',
          `ER4: ${name} is a string`,
        )
      }
      if (typeof error.code === 'string' && typeof error.title === 'string') {
        const title = titles.get(error.code) ?? error.title
        titles.set(error.code, title)
        this.#is(error.title === title, `ER7: one title for each code, not also '${title}'`)
      }
      if (error.links !== undefined) this.#links(error.links, ['about', 'type'])
      if (error.meta !== undefined) this.#meta(error.meta)
      if (error.source !== undefined) this.#source(error.source)
    }
    const status = String(this.#exchange.response.status)
    // Errors with several statuses have the status of one of them, or the general one.
    this.#is(
      statuses.has(status) || (statuses.size > 1 && /^[45]00$/.test(status)),
      'ER2: the status of the response',
    )
  }

  #source(value: unknown): void {
    const source = this.#object(value, 'ER8: source')
    this.#closed(source, ['pointer', 'parameter', 'header'], 'source')
    this.#is(Object.keys(source).length > 0, 'ER8: source says something')
    for (const entry of Object.values(source))
      this.#is(typeof entry === 'string', 'ER8: members of source are strings')
    if (typeof source.parameter === 'string') {
      const isAsked =
        this.#isAsked(source.parameter) || this.#exchange.url.includes(source.parameter)
      this.#is(isAsked, `ER8: '${source.parameter}' is a parameter of the request`)
    }
    if (typeof source.pointer !== 'string') return
    const requestDocument = this.#requestDocument()
    if (requestDocument === undefined) {
      this.#is(
        source.pointer === '',
        `ER9: nothing is at '${source.pointer}' in a body that is no JSON`,
      )
      return
    }
    this.#is(
      resolvePointer(requestDocument, source.pointer) !== undefined,
      `ER9: '${source.pointer}' is in the sent body`,
    )
  }

  /** Long names are truncated. */
  #isAsked(parameter: string): boolean {
    const names = [...this.#parameters.keys()]
    return (
      names.includes(parameter) ||
      names.some((name) => `${name.slice(0, parameter.length - 1)}…` === parameter)
    )
  }

  #links(value: unknown, allowed: readonly string[]): void {
    const links = this.#object(value, 'DS40: links')
    this.#closed(links, allowed, 'links')
    for (const [name, link] of Object.entries(links)) this.#link(link, name)
  }

  /**
   * Besides its self link, a resource has links to its binary resources, each of which is a field
   * of it.
   */
  #linksOfResource(links: JsonObject, claim: (member: string) => void): void {
    for (const [name, link] of Object.entries(links)) {
      this.#link(link, name)
      if (name === 'self') continue
      claim(name)
      if (link === null) continue
      const { type, meta } = this.#object(link, `DS44: link '${name}'`)
      const facts = this.#object(meta, `DS44: meta of '${name}'`)
      this.#closed(facts, ['contentType', 'size', 'hash', 'fileName'], `meta of '${name}'`)
      this.#is(type === facts.contentType, `DS44: type of '${name}'`)
    }
  }

  #link(link: unknown, name: string): void {
    if (link === null) return
    if (typeof link === 'string') {
      this.#is(uriReference.test(link), `DS40, QP7: link '${name}' is a URI reference`)
      return
    }
    const members = this.#object(link, `DS40: link '${name}'`)
    this.#closed(
      members,
      ['href', 'rel', 'describedby', 'title', 'type', 'hreflang', 'meta'],
      `link '${name}' (DS44)`,
    )
    this.#is(
      typeof members.href === 'string' && uriReference.test(members.href),
      `DS42: link '${name}' has href`,
    )
    if (members.rel !== undefined)
      this.#is(/^[a-z][a-z0-9.-]*$/.test(String(members.rel)), `DS43: rel of '${name}'`)
    if (members.hreflang !== undefined) {
      for (const tag of [members.hreflang].flat())
        this.#is(languageTag.test(String(tag)), `DS43: hreflang of '${name}'`)
    }
    if (members.describedby !== undefined) this.#link(members.describedby, 'describedby')
    if (members.meta !== undefined) this.#meta(members.meta)
  }

  #meta(value: unknown): void {
    const meta = this.#object(value, 'DS39: meta')
    if (meta.page !== undefined) this.#object(meta.page, 'CP13: meta.page')
  }

  #object(value: unknown, what: string): JsonObject {
    this.#is(isObject(value), `${what} is an object`)
    return value as JsonObject
  }

  #closed(members: JsonObject, allowed: readonly string[], what: string): void {
    const stray = Object.keys(members).filter((name) => !allowed.includes(name))
    this.#is(stray.length === 0, `DS4, DS51: no other members in ${what}: ${stray.join(', ')}`)
  }
}
