import { language } from './language.ts'
import './styles.css'
import { loadTexts } from './t.ts'

document.documentElement.lang = language
// Texts that cannot be had leave the page in English.
void loadTexts()
  .catch(() => {})
  .then(() => import('./app.tsx'))
