import type { JsonSchema, SchemaComponent } from '../schema/json-schema.ts'
import { forEachSubschema } from '../schema/map-subschemas.ts'

/** Are items described whole only, or also as far as clients chose their members? */
export type ItemSchemaMode = 'whole' | 'chosen'

/** What a schema refers to, if it refers to anything. */
export function selectComponent(
  { component }: JsonSchema,
  items: ItemSchemaMode,
): SchemaComponent | undefined {
  return (items === 'whole' ? component?.completeSchema?.component : undefined) ?? component
}

const ranks: readonly SchemaComponent['rank'][] = ['model', 'part', 'service']

/**
 * The names under which a document writes the schemas that others refer to: their own, with a
 * number behind where a schema of higher rank has that name already. The order of the result is
 * that of the names.
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
  const inOrder = [...named].sort(([one], [other]) => (one < other ? -1 : 1))
  return new Map(inOrder.map(([name, component]) => [component, name]))
}

/** What is alike keeps the order in which it was found, which is that of the paths. */
function compareRanks(one: SchemaComponent, other: SchemaComponent): number {
  return ranks.indexOf(one.rank) - ranks.indexOf(other.rank)
}

/** Every component that the schemas lead to. */
function componentsIn(
  schemas: Iterable<JsonSchema>,
  items: ItemSchemaMode,
): ReadonlySet<SchemaComponent> {
  const found = new Set<SchemaComponent>()
  const look = (schema: JsonSchema): void => {
    const component = selectComponent(schema, items)
    if (component && !found.has(component)) {
      found.add(component)
      look(component.schema())
    }
    forEachSubschema(schema, look)
  }
  const seen = new Set<JsonSchema>()
  for (const schema of schemas) {
    // Operations share the schemas of their parameters.
    if (seen.has(schema)) continue
    seen.add(schema)
    look(schema)
  }
  return found
}
