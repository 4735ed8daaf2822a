import { pluralize } from 'inflection'
import { capitalize } from '../text/message-text.ts'
import { RegistrationError } from './registration-error.ts'

/** Puts the last word of a camelCase name into the plural: `bookCategory`, `bookCategories`. */
export function pluralOf(singular: string): string {
  const lastWord = singular.search(/[A-Z][^A-Z]*$/)
  if (lastWord <= 0) return pluralize(singular)
  const word = singular.slice(lastWord)
  return singular.slice(0, lastWord) + capitalize(pluralize(word.toLowerCase()))
}

/** `bookCategory` and `book-category` become `BookCategory`. */
export function toPascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map(capitalize)
    .join('')
}

/** Words that are written in capitals. */
const acronyms = /\b(?:api|csv|html|http|ip|json|pdf|sms|sql|svg|url|uuid|vat|xml)(?=s?\b)/g

/** `bookCategory` and `book-category` become `book category`, `apiKeys` becomes `API keys`. */
export function toWords(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .join(' ')
    .toLowerCase()
    .replaceAll(acronyms, (word) => word.toUpperCase())
}

/** The letters of acronyms whose names begin with a vowel are in capitals: an SVG, a URL. */
const vowelSound = /^(?:[aeiou]|[AEFHILMNORSX][A-Z])/

/** `bookCategory` becomes `a book category`, `apiKey` becomes `an API key`. */
export function toWordsWithArticle(singular: string): string {
  const words = toWords(singular)
  return `${vowelSound.test(words) ? 'an' : 'a'} ${words}`
}

/** `bookCategory`, `book-category` and `BookCategory` become `book_category`. */
export function toSnakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase()
}

const memberNamePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** The rules of `isMemberName`, for messages. */
export const memberNameRules =
  "a name starts with a letter, has only letters, digits, '-' and '_', ends with a letter or a digit, has at most 64 characters, and must not be the name of an Object.prototype member, such as 'constructor'"

/**
 * Is it a valid path segment, JSON member and word of an operation id, in every policy (JSON:API
 * 1.1, member names)?
 */
export function isMemberName(name: string): boolean {
  return memberNamePattern.test(name) && !/[-_]$/.test(name) && !(name in {})
}

/** @throws RegistrationError if it is not a valid wire name */
export function checkWireName(subject: string, name: string, wireName: string = name): string {
  if (wireName !== 'id' && isMemberName(wireName)) return wireName
  throw new RegistrationError(
    `${subject} has the invalid wire name '${wireName}': ${memberNameRules}; 'id' is reserved.`,
  )
}
