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

/** Collects the components of a document while operations are written. */
export interface ComponentRegistry {
  readonly version: OpenApiVersion
  /** The schema with references to components, in the version of the document. */
  schema(schema: JsonSchema): JsonSchema
  header(name: string, header: HeaderObject): Reference
  /** Returns the parameter itself if another one has the name already. */
  parameter(name: string | undefined, parameter: ParameterObject): ParameterObject | Reference
  response(name: string, response: ResponseObject): Reference
  securityScheme(name: string, scheme: object): void
  /** All components, sorted by name. */
  components(): Components
}

/** @param names the result of `schemaNames` */
export function createComponentRegistry(
  names: ReadonlyMap<SchemaComponent, string>,
  items: ItemSchemaMode,
  version: OpenApiVersion,
): ComponentRegistry {
  const inVersion = version === '3.0.4' ? toSchema30 : (schema: JsonSchema) => schema
  const headers = new Map<string, HeaderObject>()
  const parameters = createFirstByName<ParameterObject>()
  const responses = new Map<string, ResponseObject>()
  const securitySchemes = new Map<string, object>()
  const withReferences = (schema: JsonSchema): JsonSchema => {
    const component = selectComponent(schema, items)
    if (!component) return mapSubschemas(withoutFormatPattern(schema), withReferences)
    const { component: _, ...rest } = schema
    const $ref = `#/components/schemas/${names.get(component)}`
    return { ...mapSubschemas(rest, withReferences), $ref }
  }
  return {
    version,
    schema: (schema) => inVersion(withReferences(schema)),
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
        [...names].map(([{ schema }, name]) => [name, inVersion(withReferences(schema()))]),
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

/** Keeps the first value of each name; `tryAdd` fails if a name has another value. */
function createFirstByName<T>(): {
  readonly all: ReadonlyMap<string, T>
  tryAdd(name: string, value: T): boolean
} {
  const all = new Map<string, T>()
  const texts = new Map<string, string>()
  return {
    all,
    tryAdd: (name, value) => {
      const text = JSON.stringify(value)
      if ((texts.get(name) ?? text) !== text) return false
      texts.set(name, text)
      all.set(name, value)
      return true
    },
  }
}

/** A section of the components; absent if it is empty. */
function componentsSection(
  name: keyof Components,
  values: ReadonlyMap<string, unknown>,
): Components {
  if (values.size === 0) return {}
  return {
    [name]: Object.fromEntries([...values].sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}
