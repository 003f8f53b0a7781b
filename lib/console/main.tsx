// The entry of the web console.
import './styles/tokens.css';
import './styles/global.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme, readTheme } from './shell/theme.ts';

applyTheme(readTheme());
const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
