import type { JsonSchema, SchemaComponent } from '../schema/json-schema.ts'
import { mapSchema } from '../schema/map-schema.ts'
import type {
  Components,
  HeaderObject,
  OpenApiVersion,
  ParameterObject,
  Reference,
  ResponseObject,
} from './document.ts'
import { withoutFormatPattern } from './format-patterns.ts'
import { schema30 } from './schema-3-0.ts'
import { componentOf, type Items } from './schema-names.ts'

/** Gathers what operations share while they are written, each under a name. */
export interface Shelf {
  readonly version: OpenApiVersion
  /** The schema as the document writes it: names in the place of components, in the document's own version. */
  schema(schema: JsonSchema): JsonSchema
  header(name: string, header: HeaderObject): Reference
  /** Where another parameter has the name already, this one stays where it is. */
  parameter(name: string | undefined, parameter: ParameterObject): ParameterObject | Reference
  response(name: string, response: ResponseObject): Reference
  securityScheme(name: string, scheme: object): void
  /** All that was put there, in the order of names. */
  components(): Components
}

/** @param names what `schemaNames` found */
export function shelf(names: ReadonlyMap<SchemaComponent, string>, items: Items, version: OpenApiVersion): Shelf {
  const written = version === '3.0.4' ? schema30 : (schema: JsonSchema) => schema
  const headers = new Map<string, HeaderObject>()
  const parameters = firstOfName<ParameterObject>()
  const responses = new Map<string, ResponseObject>()
  const securitySchemes = new Map<string, object>()
  const resolved = (schema: JsonSchema): JsonSchema => {
    const component = componentOf(schema, items)
    if (!component) return mapSchema(withoutFormatPattern(schema), resolved)
    const { component: _, ...rest } = schema
    const $ref = `#/components/schemas/${names.get(component)}`
    return { ...mapSchema(rest, resolved), $ref }
  }
  return {
    version,
    schema: (schema) => written(resolved(schema)),
    header: (name, header) => {
      headers.set(name, header)
      return { $ref: `#/components/headers/${name}` }
    },
    parameter: (name, parameter) =>
      name !== undefined && parameters.takes(name, parameter) ? { $ref: `#/components/parameters/${name}` } : parameter,
    response: (name, response) => {
      responses.set(name, response)
      return { $ref: `#/components/responses/${name}` }
    },
    securityScheme: (name, scheme) => {
      securitySchemes.set(name, scheme)
    },
    components: () => {
      const schemas = new Map([...names].map(([{ schema }, name]) => [name, written(resolved(schema()))]))
      return {
        ...part('schemas', schemas),
        ...part('responses', responses),
        ...part('parameters', parameters.all),
        ...part('headers', headers),
        ...part('securitySchemes', securitySchemes),
      }
    },
  }
}

/** Keeps what comes first under each name, and takes what is the same as that. */
function firstOfName<T>(): { readonly all: ReadonlyMap<string, T>; takes(name: string, one: T): boolean } {
  const all = new Map<string, T>()
  const texts = new Map<string, string>()
  return {
    all,
    takes: (name, one) => {
      const text = JSON.stringify(one)
      if ((texts.get(name) ?? text) !== text) return false
      texts.set(name, text)
      all.set(name, one)
      return true
    },
  }
}

/** A part of the components, if anything is in it. */
function part(name: keyof Components, values: ReadonlyMap<string, unknown>): Components {
  if (values.size === 0) return {}
  return { [name]: Object.fromEntries([...values].sort(([one], [other]) => (one < other ? -1 : 1))) }
}
