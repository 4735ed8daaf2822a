import { toWords } from '../model/naming.ts'
import { pathView, type Rule } from '../rule/rule.ts'
import type { Tag } from './document.ts'

/**
 * The tag of an operation: its collection, the variants of an image, or `operations` for batches.
 */
export function tagOf(rule: Rule): string {
  return describedTag(rule).name
}

function describedTag(rule: Rule): Tag {
  if (rule.operation === 'Batch')
    return { name: 'operations', description: 'Several operations in one request' }
  const { plural, description } = pathView(rule).model
  const { target } = rule
  if (target.kind === 'resource' && target.variant) {
    const words = target.path.segments
      .filter((step) => step !== '*')
      .map(toWords)
      .join(' ')
    return {
      name: `${plural} ${words} variants`,
      description: `The ${words} of ${plural} in other formats and sizes`,
    }
  }
  return { name: plural, description: description ?? `The ${plural}` }
}

/** The tags of all rules, sorted by name, then other tags of the options. */
export function tagsOf(rules: readonly Rule[], configured: readonly Tag[]): readonly Tag[] {
  const described = new Map(rules.map(describedTag).map((tag) => [tag.name, tag]))
  const own = [...described.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
  const configuredTag = (name: string) => configured.find((tag) => tag.name === name)
  return [
    ...own.map((tag) => ({ ...tag, ...configuredTag(tag.name) })),
    ...configured.filter(({ name }) => !described.has(name)),
  ]
}
