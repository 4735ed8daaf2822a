import { pluralize } from 'inflection'

/**
 * The collection name of a model: the last word of a camelCase name in the plural (`bookCategory`,
 * `bookCategories`).
 */
export function pluralOf(singular: string): string {
  const lastWord = singular.search(/[A-Z][^A-Z]*$/)
  if (lastWord <= 0) return pluralize(singular)
  const word = singular.slice(lastWord)
  return singular.slice(0, lastWord) + capitalize(pluralize(word.toLowerCase()))
}

export function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/**
 * A name as a word of names made from it: `bookCategory` and `book-category` are both
 * `BookCategory`.
 */
export function toPascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map(capitalize)
    .join('')
}

/** `bookCategory` and `book-category` are a book category. */
export function toWords(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .join(' ')
    .toLowerCase()
}

/** One item of a model, in words: `a book category`, `an author`. */
export function toWordsWithArticle(singular: string): string {
  const words = toWords(singular)
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`
}

const memberNamePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** What `isMemberName` asks for, to be told to whoever chose another. */
export const memberNameRules =
  "a name starts with a letter, holds letters, digits, '-' and '_' only, ends with a letter or a digit, has at most 64 characters, and is none that every object has, such as 'constructor'"

/**
 * May it be a path segment, a member of JSON and a word of an operation id, in every policy
 * (JSON:API 1.1, member names)?
 */
export function isMemberName(name: string): boolean {
  // What every object inherits (`constructor`, `toString`, …) would be found where an item has no
  // such member.
  return memberNamePattern.test(name) && !/[-_]$/.test(name) && !(name in {})
}
