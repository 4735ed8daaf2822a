import { findNearestName } from '../error/nearest-name.ts'
import type { PathParams } from '../http/api-request.ts'
import { RegistrationError } from '../model/registration-error.ts'

/** The route of a path and a method. */
export type RouteMatch<T> =
  | { readonly kind: 'found'; readonly value: T; readonly params: PathParams }
  /** The path exists, but not with this method. */
  | { readonly kind: 'methodNotAllowed'; readonly allowedMethods: readonly string[] }
  | { readonly kind: 'notFound' }
  /** The path cannot be decoded. */
  | { readonly kind: 'malformed' }

/**
 * Values by method and path template, for example `GET /books/:id`. Literal segments win over
 * parameters.
 */
export interface MatchTree<T> {
  add(method: string, template: string, value: T): void
  /**
   * Takes the percent-encoded path of the request, so that an encoded slash stays within its
   * segment. HEAD matches the routes of GET.
   */
  match(method: string, path: string): RouteMatch<T>
  /**
   * The known path that was probably meant by an unknown one: with the nearest names instead of
   * unknown segments, and without a slash at its end. Undefined where none is near.
   */
  nearestPath(path: string): string | undefined
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
      const branch = template.split('/').slice(1).reduce(addSegment, root)
      if (branch.methods.has(method))
        throw new RegistrationError(
          `Two operations have the same route ${method} ${template}. Rename one of them.`,
        )
      branch.methods.set(method, value)
    },
    match: (method, path) => {
      const params: Record<string, string> = {}
      const branch = findBranch(root, path, params)
      if (branch === 'malformed') return { kind: 'malformed' }
      if (!branch) return { kind: 'notFound' }
      const value = branch.methods.get(method === 'HEAD' ? 'GET' : method)
      return value === undefined
        ? { kind: 'methodNotAllowed', allowedMethods: allowedMethods(branch.methods) }
        : { kind: 'found', value, params }
    },
    nearestPath: (path) => findNearestPath(root, path),
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
        `The same path segment has two parameter names: ':${from.parameter.name}' and ':${name}'.`,
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
  let branch = root
  for (let start = 1, end: number; start <= path.length; start = end + 1) {
    const slash = path.indexOf('/', start)
    end = slash < 0 ? path.length : slash
    const segment = decodeSegment(path.slice(start, end))
    if (segment === undefined) return 'malformed'
    const literal = branch.literals.get(segment)
    if (literal) branch = literal
    else if (branch.parameter && segment !== '') {
      params[branch.parameter.name] = segment
      branch = branch.parameter.branch
    } else return undefined
  }
  return branch.methods.size > 0 ? branch : undefined
}

function findNearestPath<T>(root: Branch<T>, path: string): string | undefined {
  if (!path.startsWith('/')) return undefined
  const segments = path.slice(1).split('/')
  if (segments.at(-1) === '') segments.pop()
  let branch = root
  let nearestPath = ''
  for (const segment of segments) {
    const name = decodeSegment(segment)
    if (!name) return undefined
    const { literals, parameter } = branch
    if (parameter && !literals.has(name)) {
      nearestPath += `/${segment}`
      branch = parameter.branch
      continue
    }
    const literal = literals.has(name) ? name : findNearestName(name, [...literals.keys()])
    if (literal === undefined) return undefined
    nearestPath += `/${literal}`
    branch = literals.get(literal)!
  }
  return branch.methods.size > 0 ? nearestPath : undefined
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The methods of a path that has these, in the order of `Allow`. */
export function allowedMethods(methods: ReadonlyMap<string, unknown>): readonly string[] {
  const order = ['GET', 'HEAD', 'OPTIONS', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE']
  const allowed = new Set([...methods.keys(), 'OPTIONS', ...(methods.has('GET') ? ['HEAD'] : [])])
  return order.filter((method) => allowed.has(method))
}
