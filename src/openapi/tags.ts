import { toWords } from '../model/naming.ts'
import { isModelRule, pathView, type Rule } from '../rule/rule.ts'
import { capitalize } from '../text/message-text.ts'
import type { OpenApiVersion, Tag } from './document.ts'

/**
 * The tag of an operation: its collection, the variants of an image, `operations` for batches, or
 * `changes` for those of several models.
 */
export function tagOf(rule: Rule): string {
  return describedTag(rule).name
}

/** A tag with its title. */
interface TitledTag extends Tag {
  readonly title: string
}

function describedTag(rule: Rule): TitledTag {
  if (rule.operation === 'Batch')
    return {
      name: 'operations',
      title: 'Batches',
      description: 'Several operations in one request',
    }
  if (rule.operation === 'GetFeed')
    return {
      name: 'changes',
      title: 'Changes',
      description: 'What changed in several lists',
    }
  const { plural, description } = pathView(rule).model
  const items = toWords(plural)
  const { target } = rule
  if (target.kind === 'resource' && target.variant) {
    const words = target.path.segments
      .filter((step) => step !== '*')
      .map(toWords)
      .join(' ')
    return {
      name: `${plural} ${words} variants`,
      title: `${capitalize(items)}: ${words} in other sizes`,
      description: `The ${words} of ${items} in other formats and sizes`,
    }
  }
  return { name: plural, title: capitalize(items), description: description ?? `The ${items}` }
}

/**
 * The tags of all rules, in the order of the rules, then other tags of the options. What is about
 * several models comes after all models. OpenAPI has titles of tags since 3.2; documentation pages
 * read the extension.
 */
export function tagsOf(
  rules: readonly Rule[],
  configured: readonly Tag[],
  version: OpenApiVersion,
): readonly Tag[] {
  const titleMember = version === '3.2.0' ? 'summary' : 'x-displayName'
  const described = new Map<string, Tag>()
  for (const { name, title, description } of [...rules].sort(modelsFirst).map(describedTag))
    described.set(name, { name, [titleMember]: title, ...(description && { description }) })
  const configuredTag = (name: string) => configured.find((tag) => tag.name === name)
  return [
    ...[...described.values()].map((tag) => ({ ...tag, ...configuredTag(tag.name) })),
    ...configured.filter(({ name }) => !described.has(name)),
  ]
}

function modelsFirst(one: Rule, other: Rule): number {
  return Number(isModelRule(other)) - Number(isModelRule(one))
}
