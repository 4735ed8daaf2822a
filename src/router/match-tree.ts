import type { PathParams } from '../http/api-request.ts'
import { RegistrationError } from '../model/registration-error.ts'

/** What an address and a method lead to. */
export type RouteMatch<T> =
  | { readonly kind: 'found'; readonly value: T; readonly params: PathParams }
  /** The address exists, but not for this method. */
  | { readonly kind: 'otherMethods'; readonly allowedMethods: readonly string[] }
  | { readonly kind: 'nothing' }
  /** The path cannot be decoded. */
  | { readonly kind: 'malformed' }

/**
 * Values by method and path template, for example `GET /books/:id`. Literal segments win over
 * parameters.
 */
export interface MatchTree<T> {
  add(method: string, template: string, value: T): void
  /**
   * The path as it was sent: percent-encoded, so that an encoded slash stays within its segment.
   * HEAD finds what GET does.
   */
  match(method: string, path: string): RouteMatch<T>
}

interface Branch<T> {
  readonly literals: Map<string, Branch<T>>
  parameter: { readonly name: string; readonly branch: Branch<T> } | undefined
  readonly methods: Map<string, T>
}

export function createMatchTree<T>(): MatchTree<T> {
  const root = createBranch<T>()
  return {
    add: (method, template, value) => {
      const end = template.split('/').slice(1).reduce(addSegment, root)
      if (end.methods.has(method))
        throw new RegistrationError(
          `Two operations share ${method} ${template}; each address answers a method once.`,
        )
      end.methods.set(method, value)
    },
    match: (method, path) => {
      const params: Record<string, string> = {}
      const end = findBranch(root, path, params)
      if (end === 'malformed') return { kind: 'malformed' }
      if (!end) return { kind: 'nothing' }
      const value = end.methods.get(method === 'HEAD' ? 'GET' : method)
      return value === undefined
        ? { kind: 'otherMethods', allowedMethods: allowedMethodsOf(end) }
        : { kind: 'found', value, params }
    },
  }
}

function createBranch<T>(): Branch<T> {
  return { literals: new Map(), parameter: undefined, methods: new Map() }
}

function addSegment<T>(from: Branch<T>, segment: string): Branch<T> {
  if (segment.startsWith(':')) {
    const name = segment.slice(1)
    from.parameter ??= { name, branch: createBranch() }
    if (from.parameter.name !== name)
      throw new RegistrationError(
        `One address names the same segment both ':${from.parameter.name}' and ':${name}'.`,
      )
    return from.parameter.branch
  }
  const next = from.literals.get(segment) ?? createBranch<T>()
  from.literals.set(segment, next)
  return next
}

function findBranch<T>(
  root: Branch<T>,
  path: string,
  params: Record<string, string>,
): Branch<T> | 'malformed' | undefined {
  if (!path.startsWith('/')) return undefined
  let at = root
  for (let start = 1, end: number; start <= path.length; start = end + 1) {
    const slash = path.indexOf('/', start)
    end = slash < 0 ? path.length : slash
    const segment = decodeSegment(path.slice(start, end))
    if (segment === undefined) return 'malformed'
    const literal = at.literals.get(segment)
    if (literal) at = literal
    else if (at.parameter && segment !== '') {
      params[at.parameter.name] = segment
      at = at.parameter.branch
    } else return undefined
  }
  return at.methods.size > 0 ? at : undefined
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function allowedMethodsOf<T>({ methods }: Branch<T>): readonly string[] {
  const order = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']
  const allowed = new Set([...methods.keys(), 'OPTIONS', ...(methods.has('GET') ? ['HEAD'] : [])])
  return order.filter((method) => allowed.has(method))
}
