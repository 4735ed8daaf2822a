import type { JsonSchema, SchemaComponent } from '../schema/json-schema.ts'
import { forEachSubschema } from '../schema/map-subschemas.ts'

/** Describes complete items only, or also items with the members that `fields` selects. */
export type ItemSchemaMode = 'complete' | 'selectable'

/** The component that a schema refers to, if any. */
export function selectComponent(
  { component }: JsonSchema,
  items: ItemSchemaMode,
): SchemaComponent | undefined {
  return (items === 'complete' ? component?.completeSchema?.component : undefined) ?? component
}

const ranks: readonly SchemaComponent['rank'][] = ['model', 'part', 'service']

/**
 * The names of the schema components of a document, sorted. A component whose name belongs to one
 * of higher rank gets a number as suffix.
 */
export function schemaNames(
  schemas: Iterable<JsonSchema>,
  items: ItemSchemaMode,
): ReadonlyMap<SchemaComponent, string> {
  const named = new Map<string, SchemaComponent>()
  for (const component of [...componentsIn(schemas, items)].sort(compareRanks)) {
    let name = component.name
    for (let count = 2; named.has(name); count++) name = component.name + count
    named.set(name, component)
  }
  const sorted = [...named].sort(([one], [other]) => (one < other ? -1 : 1))
  return new Map(sorted.map(([name, component]) => [component, name]))
}

/** Components of the same rank keep their order, which is that of the paths. */
function compareRanks(one: SchemaComponent, other: SchemaComponent): number {
  return ranks.indexOf(one.rank) - ranks.indexOf(other.rank)
}

/** Every component that the schemas refer to, directly or indirectly. */
function componentsIn(
  schemas: Iterable<JsonSchema>,
  items: ItemSchemaMode,
): ReadonlySet<SchemaComponent> {
  const components = new Set<SchemaComponent>()
  const visit = (schema: JsonSchema): void => {
    const component = selectComponent(schema, items)
    if (component && !components.has(component)) {
      components.add(component)
      visit(component.schema())
    }
    forEachSubschema(schema, visit)
  }
  // Operations share the schemas of their parameters.
  for (const schema of new Set(schemas)) visit(schema)
  return components
}
