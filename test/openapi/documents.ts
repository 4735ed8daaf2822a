import { type AnyModel, createRouter, type Policy, type Router } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import type { OpenApiDocument, OpenApiOptions } from 'resourcery/openapi'
import { rest } from 'resourcery/rest'

/** What tests read of an operation. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, Response>>
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description: string
  readonly required?: boolean
  readonly style?: string
  readonly explode?: boolean
  readonly schema: Schema
  readonly example?: unknown
}

interface Response {
  readonly description: string
  readonly headers: Readonly<
    Record<string, { readonly description: string; readonly required?: boolean }>
  >
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
  readonly links?: Readonly<
    Record<string, { readonly operationId: string; readonly parameters: object }>
  >
}

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
  readonly items: Schema
  readonly anyOf: readonly Schema[]
  readonly [keyword: string]: unknown
}

export function routerOf(models: readonly AnyModel[], policy: Policy = rest()): Router {
  const router = createRouter({ policy, store: memory(), blobs: memoryBlobs() })
  for (const model of models) router.prepare(model)
  return router
}

export function documentOf(
  models: readonly AnyModel[],
  policy?: Policy,
  options?: OpenApiOptions,
): OpenApiDocument {
  return routerOf(models, policy).toOpenApi(options)
}

export interface Described {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** Every operation of the document, with references resolved except those to schemas. */
export function operationsOf(document: OpenApiDocument): readonly Described[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      method.startsWith('x-')
        ? []
        : {
            method: method.toUpperCase(),
            path,
            operation: followed(document, operation) as Operation,
          },
    ),
  )
}

export function operationAt(document: OpenApiDocument, route: string): Operation {
  const match = operationsOf(document).find(({ method, path }) => `${method} ${path}` === route)
  if (!match) throw new Error(`${route} is not documented`)
  return match.operation
}

/** A component schema of the document. */
export function schemaOf(document: OpenApiDocument, name: string): Schema {
  const schema = document.components.schemas?.[name]
  if (!schema)
    throw new Error(
      `There is no schema '${name}'; there are ${Object.keys(document.components.schemas ?? {})}`,
    )
  return schema as Schema
}

function followed(document: OpenApiDocument, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((entry) => followed(document, entry))
  const { $ref } = value as { readonly $ref?: string }
  if ($ref !== undefined && !$ref.startsWith('#/components/schemas/'))
    return followed(document, target(document, $ref))
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, followed(document, one)]),
  )
}

function target(document: OpenApiDocument, $ref: string): unknown {
  return $ref
    .split('/')
    .slice(1)
    .reduce<unknown>((value, step) => (value as Readonly<Record<string, unknown>>)[step], document)
}
