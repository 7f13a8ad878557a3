// A validator under pm2, from a checkout with its .venv: pm2 start deploy/validator.config.js
// Settings come from the file that CS_CONFIG names; the judge's key from the shell that starts pm2 (CS_JUDGE_API_KEY).
const path = require("path");

module.exports = {
  apps: [
    {
      name: "compression-validator",
      cwd: path.join(__dirname, ".."),
      interpreter: ".venv/bin/python",
      script: "neurons/validator.py",
      args: ["--logging.logging-dir", "logs"],
      env: { CS_CONFIG: process.env.CS_CONFIG || path.join(__dirname, "validator.toml") },
      autorestart: true,
      // 2 is a setting that only you can mend; 0 is a validator that was told to stop.
      stop_exit_codes: [0, 2],
      exp_backoff_restart_delay: 1000,
      // It closes within 10 s, or leaves what hangs.
      kill_timeout: 20000,
    },
  ],
};
