import type { PublicName } from './public-names.ts'

/** A member of a public interface of options or limits. */
interface OptionMember {
  /** With the name of the interface: `RouterLimits.maxPageSize`. */
  readonly name: string
  readonly isOptional: boolean
  readonly docstring: string
}

export function optionMembersOf({ name, text }: PublicName): readonly OptionMember[] {
  if (!/(?:Options|Limits|Credentials)$/.test(name)) return []
  const pattern = /^ {2}(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2})?readonly (\w+)(\??):/gm
  return [...text.matchAll(pattern)].map(([, docstring = '', member, mark]) => ({
    name: `${name}.${member}`,
    isOptional: mark === '?',
    docstring: docstring.replaceAll(/\s*\n *\* ?/g, ' ').trim(),
  }))
}
