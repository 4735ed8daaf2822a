import { expect, test } from 'vitest'
import { printedName } from './printed-name.ts'

test.each([
  ['text.full^name', 'fullName'],
  ['hidden.page^count#', 'pageCount'],
  ['text.begins@', 'begins'],
  ['text.text', 'text'],
  ['^a^p^i^keys', 'APIKeys'],
  ['books(text.price#,text.author descending)', 'books(price,author descending)'],
  ['books(hidden.code uniqueSet "text.is^open" = 1)', 'books(code uniqueSet isOpen = 1)'],
])('%s is printed as %s', (name, printed) => {
  expect(printedName(name)).toBe(printed)
})
