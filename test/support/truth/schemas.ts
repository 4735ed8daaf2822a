import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { OpenApiDocument } from 'resourcery/openapi'

/**
 * Validates values by schemas of a document, which are found by JSON Pointers and compiled when
 * first needed.
 */
export interface DocumentSchemas {
  /** The errors of the value; undefined when there are none. */
  fault(pointer: string, value: unknown): string | undefined
}

const id = 'https://document.test/'

/**
 * @param members `closed` where objects must have no members beside those that are named: documents
 * leave responses open, so that they can grow, but what is sent today they have to name
 */
export function documentSchemas(
  document: OpenApiDocument,
  members: 'as written' | 'closed',
): DocumentSchemas {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    validateFormats: true,
    // It would compile the schema of schemas each time, and compare nothing of a document with it.
    meta: false,
    validateSchema: false,
  })
  formats.default(ajv)
  ajv.addFormat('decimal', /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/)
  const text = JSON.stringify(document)
  ajv.addSchema({ $id: id, ...(members === 'closed' ? close(JSON.parse(text)) : JSON.parse(text)) })
  const compiled = new Map<string, ValidateFunction>()
  const compile = (pointer: string): ValidateFunction => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `${id}#${encodeURI(pointer)}` })
    compiled.set(pointer, validate)
    return validate
  }
  return {
    fault: (pointer, value) => {
      const validate = compile(pointer)
      return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' })
    },
  }
}

/**
 * Closes schemas of objects with named members. Intersections are closed as a whole, because their
 * parts do not know each other's members.
 */
function close(value: unknown, isPart = false): object {
  if (typeof value !== 'object' || value === null) return value as never
  if (Array.isArray(value)) return value.map((entry) => close(entry, isPart))
  const schema = value as Readonly<Record<string, unknown>>
  const isSchema =
    typeof schema.type === 'string' || Array.isArray(schema.type) || Array.isArray(schema.allOf)
  const closed = Object.fromEntries(
    Object.entries(schema).map(([name, one]) => [name, close(one, isSchema && name === 'allOf')]),
  )
  if (!isSchema || isPart || schema.additionalProperties !== undefined) return closed
  if (Array.isArray(schema.allOf)) return { ...closed, unevaluatedProperties: false }
  return typeof schema.properties === 'object' &&
    schema.properties !== null &&
    Object.keys(schema.properties).length > 0
    ? { ...closed, additionalProperties: false }
    : closed
}
