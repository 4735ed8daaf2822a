import type { JsonSchema, SchemaComponent } from '../schema/json-schema.ts'
import { mapSubschemas } from '../schema/map-subschemas.ts'
import type {
  Components,
  HeaderObject,
  OpenApiVersion,
  ParameterObject,
  Reference,
  ResponseObject,
} from './document.ts'
import { withoutFormatPattern } from './format-patterns.ts'
import { toSchema30 } from './schema-3-0.ts'
import { type ItemSchemaMode, selectComponent } from './schema-names.ts'

/** Gathers what operations share while they are written, each under a name. */
export interface ComponentRegistry {
  readonly version: OpenApiVersion
  /**
   * The schema as the document writes it: names in the place of components, in the document's own
   * version.
   */
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
export function createComponentRegistry(
  names: ReadonlyMap<SchemaComponent, string>,
  items: ItemSchemaMode,
  version: OpenApiVersion,
): ComponentRegistry {
  const written = version === '3.0.4' ? toSchema30 : (schema: JsonSchema) => schema
  const headers = new Map<string, HeaderObject>()
  const parameters = createFirstByName<ParameterObject>()
  const responses = new Map<string, ResponseObject>()
  const securitySchemes = new Map<string, object>()
  const resolved = (schema: JsonSchema): JsonSchema => {
    const component = selectComponent(schema, items)
    if (!component) return mapSubschemas(withoutFormatPattern(schema), resolved)
    const { component: _, ...rest } = schema
    const $ref = `#/components/schemas/${names.get(component)}`
    return { ...mapSubschemas(rest, resolved), $ref }
  }
  return {
    version,
    schema: (schema) => written(resolved(schema)),
    header: (name, header) => {
      headers.set(name, header)
      return { $ref: `#/components/headers/${name}` }
    },
    parameter: (name, parameter) =>
      name !== undefined && parameters.tryAdd(name, parameter)
        ? { $ref: `#/components/parameters/${name}` }
        : parameter,
    response: (name, response) => {
      responses.set(name, response)
      return { $ref: `#/components/responses/${name}` }
    },
    securityScheme: (name, scheme) => {
      securitySchemes.set(name, scheme)
    },
    components: () => {
      const schemas = new Map(
        [...names].map(([{ schema }, name]) => [name, written(resolved(schema()))]),
      )
      return {
        ...componentsSection('schemas', schemas),
        ...componentsSection('responses', responses),
        ...componentsSection('parameters', parameters.all),
        ...componentsSection('headers', headers),
        ...componentsSection('securitySchemes', securitySchemes),
      }
    },
  }
}

/** Keeps what comes first under each name, and takes what is the same as that. */
function createFirstByName<T>(): {
  readonly all: ReadonlyMap<string, T>
  tryAdd(name: string, one: T): boolean
} {
  const all = new Map<string, T>()
  const texts = new Map<string, string>()
  return {
    all,
    tryAdd: (name, one) => {
      const text = JSON.stringify(one)
      if ((texts.get(name) ?? text) !== text) return false
      texts.set(name, text)
      all.set(name, one)
      return true
    },
  }
}

/** A part of the components, if anything is in it. */
function componentsSection(
  name: keyof Components,
  values: ReadonlyMap<string, unknown>,
): Components {
  if (values.size === 0) return {}
  return {
    [name]: Object.fromEntries([...values].sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}
