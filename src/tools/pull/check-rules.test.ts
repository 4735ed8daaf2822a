import { expect, test } from 'vitest'
import { checkRules } from './check-rules.ts'

test.each<[string, string, unknown]>([
  [
    'rating',
    '((rating >= 1) AND (rating <= 5))',
    [
      { kind: 'bound', operator: '>=', limit: 1 },
      { kind: 'bound', operator: '<=', limit: 5 },
    ],
  ],
  ['price', '(price > (0)::numeric)', [{ kind: 'bound', operator: '>', limit: 0 }]],
  ['score', "(score >= '-10'::integer)", [{ kind: 'bound', operator: '>=', limit: -10 }]],
  ['Year', '("Year" >= 1900)', [{ kind: 'bound', operator: '>=', limit: 1900 }]],
  [
    'status',
    "((status)::text = ANY ((ARRAY['new'::character varying, 'it''s, done'::character varying])::text[]))",
    [{ kind: 'values', values: ['new', "it's, done"] }],
  ],
  ['kind', "(kind = ANY (ARRAY['a'::text, 'b'::text]))", [{ kind: 'values', values: ['a', 'b'] }]],
  ['kind', "kind in ('a', 'b')", [{ kind: 'values', values: ['a', 'b'] }]],
  [
    'rating',
    'rating between 1 and 5 and rating < 4',
    [
      { kind: 'bound', operator: '>=', limit: 1 },
      { kind: 'bound', operator: '<=', limit: 5 },
      { kind: 'bound', operator: '<', limit: 4 },
    ],
  ],
  ['rating', 'rating not between 1 and 5', undefined],
  ['note', "note <> 'x between 1 and 2'", undefined],
  ['title', '(length(title) > 1)', [{ kind: 'length', operator: '>', limit: 1 }]],
  ['title', '(char_length((title)::text) <= 5)', [{ kind: 'length', operator: '<=', limit: 5 }]],
  ['VALUE', '(VALUE >= 1901)', [{ kind: 'bound', operator: '>=', limit: 1901 }]],
  ['low', '(low < high)', undefined],
  ['a', '((a > 1) OR (a < 0))', undefined],
  ['a', '((a > 1) AND (b > 1))', undefined],
  ['a', '(a = ANY (ARRAY[1, 2]))', [{ kind: 'numbers', values: [1, 2] }]],
  ['VALUE', "((VALUE)::text ~~ '%@%'::text)", [{ kind: 'pattern', source: '@' }]],
  ['code', "(code ~~ 'A_%.x'::text)", [{ kind: 'pattern', source: '^A[\\s\\S][\\s\\S]*\\.x$' }]],
  ['email', "email like '%@%'", [{ kind: 'pattern', source: '@' }]],
  // The case of letters does not count in SQLite.
  ['email', "email like 'a%'", undefined],
  ['code', "code glob '[A-Z][0-9]*'", [{ kind: 'pattern', source: '^[A-Z][0-9]' }]],
  [
    'code',
    "(code ~ '^[a-z]{2}\\d+(-x)?$'::text)",
    [{ kind: 'pattern', source: '^[a-z]{2}\\d+(-x)?$' }],
  ],
  ['code', "(code ~ '^.$'::text)", [{ kind: 'pattern', source: '^[\\s\\S]$' }]],
  // What could hold the service for long.
  ['slug', "(slug ~ '^([a-z0-9]+-?)+$'::text)", undefined],
  ['slug', "(slug ~ '^.*a.*b$'::text)", undefined],
  ['VALUE', "((VALUE)::text ~~ '%a%a%a%b'::text)", undefined],
  ['VALUE', "((VALUE)::text ~~ '%@%.%'::text)", undefined],
  ['code', "code glob '*[0-9]*x'", undefined],
  // What PostgreSQL and JavaScript read in different ways.
  ['code', "(code ~ '^\\w+$'::text)", undefined],
  ['code', "(code ~ '[[:alpha:]]'::text)", undefined],
  ['code', "(code ~* '^a$'::text)", undefined],
  ['name', "(name <> ''::text)", [{ kind: 'length', operator: '>', limit: 0 }]],
  ['name', "(btrim(name) <> ''::text)", [{ kind: 'pattern', source: '[^ ]' }]],
  ['name', '(length(TRIM(BOTH FROM name)) > 0)', [{ kind: 'pattern', source: '[^ ]' }]],
  ['a', '((a IS NULL) OR (a >= 1))', [{ kind: 'bound', operator: '>=', limit: 1 }]],
  ['a', "((a = 'x'::text) OR (a = 'y'::text))", [{ kind: 'values', values: ['x', 'y'] }]],
  ['a', "((a = 'x'::text) OR (b = 'y'::text))", undefined],
  [
    'rating',
    'rating is null or rating between 1 and 5',
    [
      { kind: 'bound', operator: '>=', limit: 1 },
      { kind: 'bound', operator: '<=', limit: 5 },
    ],
  ],
])('%s: %s', (column, expression, rules) => {
  expect(checkRules(expression, column)).toEqual(rules)
})
