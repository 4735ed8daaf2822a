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
  ['email', "((VALUE)::text ~~ '%@%'::text)", undefined],
  ['low', '(low < high)', undefined],
  ['a', '((a > 1) OR (a < 0))', undefined],
  ['a', '((a > 1) AND (b > 1))', undefined],
  ['a', '(a = ANY (ARRAY[1, 2]))', undefined],
])('%s: %s', (column, expression, rules) => {
  expect(checkRules(expression, column)).toEqual(rules)
})
