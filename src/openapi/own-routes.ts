import { toPascalCase } from '../model/naming.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { SecurityScheme } from '../rule/declaration.ts'
import type { Rule } from '../rule/rule.ts'
import type {
  ExternalDocs,
  HttpMethod,
  OpenApiDocument,
  OperationObject,
  PathItem,
  ServerAddress,
  Tag,
} from './document.ts'

/**
 * An Operation Object (OpenAPI 3.1, Operation Object) of a route that the service serves beside its
 * models. Its schemas are those of the version of the document.
 */
export interface OwnOperation
  extends Partial<Omit<OperationObject, 'summary' | 'responses'>>,
    Pick<OperationObject, 'summary' | 'responses'> {
  readonly externalDocs?: ExternalDocs
}

/** The operations of one path, by method. */
export type OwnOperations = {
  readonly [method in Exclude<HttpMethod, 'query'>]?: OwnOperation
}

/** A path of the server with its operations. */
export interface OwnRoute {
  readonly path: string
  readonly operations: OwnOperations
}

/** What a router knows of the callers of its own routes, and of the reader of the document. */
export interface OwnRouteCallers {
  /** The schemes of the authenticators, by name. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>
  /** Is the document for a reader without credentials, who gets no operation that needs some? */
  readonly isAnonymous: boolean
}

const ownTag: Tag = { name: 'service', description: 'Routes that belong to no model' }

/**
 * Adds routes beside the rules to a document. Their paths begin at the root of the server, so each
 * has a server of its own.
 * @throws RegistrationError if a route clashes with a rule, or refers to what is not there
 */
export function withOwnRoutes(
  document: OpenApiDocument,
  routes: readonly OwnRoute[],
  rules: readonly Rule[],
  basePath: string,
  { schemes, isAnonymous }: OwnRouteCallers,
): OpenApiDocument {
  if (routes.length === 0) return document
  checkOwnPaths(routes, rules, basePath)
  const allSchemes = { ...document.components.securitySchemes, ...schemes }
  const optionalCredentials = [...Object.keys(schemes).map((name) => ({ [name]: [] })), {}]
  const servers = document.servers.map((server) => atRoot(server, basePath))
  const ids = new Set(
    Object.values(document.paths).flatMap((item) =>
      operationsOf(item).map(({ operationId }) => operationId),
    ),
  )
  const defaults = Object.keys(schemes).length > 0 ? { security: optionalCredentials } : {}
  const entries = routes.flatMap((route): [string, PathItem][] => {
    const item = Object.entries(route.operations).flatMap(([method, operation]) => {
      const complete = { ...defaults, ...completeOperation(route.path, method, operation) }
      if (ids.has(complete.operationId))
        throw new RegistrationError(
          `The operationId '${complete.operationId}' of '${route.path}' is taken. Set another one.`,
        )
      ids.add(complete.operationId)
      checkReferences(document, allSchemes, route.path, complete)
      return isAnonymous && needsCredentials(complete) ? [] : [[method, complete] as const]
    })
    return item.length === 0 ? [] : [[route.path, { ...Object.fromEntries(item), servers }]]
  })
  const tags = new Set(
    entries.flatMap(([, item]) => operationsOf(item).flatMap((operation) => operation.tags)),
  )
  const documentTags = new Set(document.tags.map(({ name }) => name))
  const securitySchemes = { ...schemes, ...document.components.securitySchemes }
  return {
    ...document,
    components: {
      ...document.components,
      ...(Object.keys(securitySchemes).length > 0 && { securitySchemes }),
    },
    tags: [
      ...document.tags,
      ...[...tags]
        .filter((name) => !documentTags.has(name))
        .map((name) => (name === ownTag.name ? ownTag : { name, description: name })),
    ],
    paths: { ...document.paths, ...Object.fromEntries(entries) },
  }
}

/** Is there an operation that a reader without credentials does not get? */
export function hasClosedRoute(routes: readonly OwnRoute[]): boolean {
  return routes.some(({ operations }) => Object.values(operations).some(needsCredentials))
}

function needsCredentials({ security = [] }: Pick<OperationObject, 'security'>): boolean {
  return security.length > 0 && security.every((requirement) => Object.keys(requirement).length > 0)
}

function operationsOf(item: PathItem): readonly OperationObject[] {
  const { 'x-resourcery-allow': _, servers: __, ...operations } = item
  return Object.values(operations)
}

/** @throws RegistrationError if a rule has the address of a route, or its path in the document */
export function checkOwnPaths(
  routes: readonly OwnRoute[],
  rules: readonly Rule[],
  basePath: string,
): void {
  for (const { path } of routes) {
    const shape = shapeOf(path)
    const rule = rules.find(
      (candidate) =>
        shapeOf(basePath + candidate.path) === shape || shapeOf(candidate.path) === shape,
    )
    if (rule)
      throw new RegistrationError(
        `describe('${path}') clashes with ${rule.method} ${basePath}${rule.path}, which the router describes as '${rule.path}'. Use another path.`,
      )
  }
}

/** Names of parameters do not tell paths apart. */
export function shapeOf(path: string): string {
  return path.replaceAll(/:\w+|\{\w+\}/g, '{}')
}

function completeOperation(path: string, method: string, operation: OwnOperation): OperationObject {
  const { tags = [ownTag.name], operationId = `${method}${toPascalCase(path)}` } = operation
  return { ...operation, tags, operationId }
}

/** The address of the server without the path that the router is mounted at. */
function atRoot({ url, ...server }: ServerAddress, basePath: string): ServerAddress {
  const origin = url.endsWith(basePath) ? url.slice(0, url.length - basePath.length) : url
  return { ...server, url: origin || '/' }
}

/** @throws RegistrationError for a `$ref` or a security scheme that the document does not have */
function checkReferences(
  document: OpenApiDocument,
  schemes: Readonly<Record<string, object>>,
  path: string,
  operation: OperationObject,
): void {
  for (const name of (operation.security ?? []).flatMap((requirement) => Object.keys(requirement)))
    if (!Object.hasOwn(schemes, name))
      throw new RegistrationError(
        `The operation of '${path}' needs the security scheme '${name}', which no middleware declares.`,
      )
  for (const reference of referencesIn(operation))
    if (!resolves(document, reference))
      throw new RegistrationError(
        `The operation of '${path}' refers to '${reference}', which the document does not have.`,
      )
}

function* referencesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    if (name === '$ref' && typeof member === 'string') yield member
    else yield* referencesIn(member)
  }
}

/** References to other documents are not followed. */
function resolves(document: OpenApiDocument, reference: string): boolean {
  if (!reference.startsWith('#/')) return !reference.startsWith('#')
  let value: unknown = document
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return false
    value = (value as Record<string, unknown>)[name]
  }
  return true
}
